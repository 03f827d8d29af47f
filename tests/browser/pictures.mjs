// Draws the pictures of mission control that the documentation shows, from a project as `chimera init` makes it:
//   source scripts/lib/peers-env.sh && $CHIMERA_TEST_NODE tests/browser/pictures.mjs
// Not a test: look at what it draws.

import { Browser, Project, isLive, until } from "./stage.mjs";

const folder = new URL("../../docs/images/", import.meta.url).pathname;
const project = new Project();
let browser;

try {
  project.createAgents();
  const campaign = project.startCampaign(["selam", "tariku"]);
  project.run("campaign", "schedule", campaign, "--at", new Date(Date.now() + 3 * 86_400_000).toISOString(), "--about", "A week with Kestrel");
  await project.serve();
  browser = await Browser.launch();
  const [first] = await project.pending(5, "content");
  project.pay({ task_id: crypto.randomUUID(), agent_id: "selam", operation: "token_transfer", params: { asset: "USDC", to_address: "0x52908400098527886E0F7030069857D2E4169EE7", amount_wei_or_units: "1500000" } });
  await project.api("POST", `/api/reviews/${first.review_id}/answer`, { action: "approve" });
  await until(async () => (await project.api("GET", "/api/posts")).body.items?.length > 0, "a post");
  const [shown] = await project.pending(1, "content");
  const paths = { inbox: `/review/${shown.review_id}`, fleet: "/fleet", campaign: `/campaigns/${campaign}`, money: "/money", story: `/stories/${first.task_id}` };
  const sizes = { light: { width: 1280, height: 800 }, dark: { width: 1280, height: 800 }, phone: { width: 390, height: 844, isMobile: true, hasTouch: true } };
  const pictures = { light: ["inbox", "fleet", "campaign"], dark: ["inbox", "money", "story"], phone: ["inbox", "campaign"] };
  for (const [look, views] of Object.entries(pictures)) {
    const { context, page } = await browser.owner(project, { ...sizes[look], colorScheme: look === "dark" ? "dark" : "light" });
    for (const view of views) {
      await page.goto(paths[view]);
      await isLive(page);
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${folder}mission-control-${view}-${look}.png` });
    }
    await context.close();
  }
} finally {
  await browser?.close();
  project.close();
}
