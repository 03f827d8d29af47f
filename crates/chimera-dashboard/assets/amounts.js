// Amounts are integers in smallest units, from the store to the reader's eye.

// Integers to the last digit: a balance in wei is beyond what a number holds.
export function amount({ units, decimals, asset }) {
  if (!/^\d+$/.test(units)) return `${units} ${asset}`;
  const digits = units.replace(/^0+(?=\d)/, "").padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${whole}${fraction ? `.${fraction}` : ""} ${asset}`;
}
