// Runs before the first paint: the theme that this browser's reader chose, where they chose one.
(() => {
  try {
    const theme = localStorage.getItem("chimera.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing shows its own theme.
  }
})();
