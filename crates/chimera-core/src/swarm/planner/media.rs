//! Which posts are told with a picture or a video, and of which tier: by priority, and by what the campaign has left for it.

use crate::{
    contracts::{
        content_generator::{ContentType, VideoTier},
        task::{AgentTask, Priority, TaskType},
    },
    domain::{Platform, campaign::MediaLeft},
};

/// Who draws or films, by the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MadeBy {
    /// The embedded renderer, which costs nothing.
    #[default]
    Here,
    /// Without a price nobody knows what it would cost, and nothing is planned of it.
    Tool { micro_usd_each: Option<u64> },
}

/// What things cost, as far as it is known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Costs {
    /// What language models may take for one text.
    pub text_micro_usd: u64,
    pub image: MadeBy,
    pub video: MadeBy,
}

/// A picture or video that may be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    pub video_tier: Option<VideoTier>,
    pub cost_micro_usd: u64,
}

/// Whether publishing can take such a post there.
pub fn is_taken(platform: Platform, content_type: ContentType) -> bool {
    let is_refused = matches!(
        (platform, content_type),
        (Platform::Twitter, ContentType::Image | ContentType::Video) | (Platform::Bluesky, ContentType::Video)
    );
    !is_refused
}

/// Posts of high priority become videos, or else pictures, as long as the campaign may have them and the platform takes them.
pub fn choose(tasks: &mut [AgentTask], costs: &Costs, left: &mut MediaLeft) {
    for task in tasks.iter_mut().filter(|task| task.priority == Priority::High && task.task_type == TaskType::GenerateContent) {
        let priority = task.priority;
        let Some(criteria) = &mut task.acceptance_criteria else { continue };
        if criteria.content_type != ContentType::Text {
            continue;
        }
        let Ok(platform) = criteria.platform.parse::<Platform>() else { continue };
        // Only what the campaign names a number of is chosen without being asked.
        let wanted = [(ContentType::Video, left.videos), (ContentType::Image, left.images)];
        let mut of_campaign = wanted.into_iter().filter(|(content_type, number)| number.is_some() && is_taken(platform, *content_type));
        let found = of_campaign.find_map(|(content_type, _)| Some((content_type, afford(content_type, priority, costs, left).ok()?)));
        if let Some((content_type, chosen)) = found {
            take(content_type, chosen, left);
            criteria.content_type = content_type;
            criteria.video_tier = chosen.video_tier;
        }
    }
}

/// What such a post takes, or why the campaign cannot have it.
pub fn afford(content_type: ContentType, priority: Priority, costs: &Costs, left: &MediaLeft) -> Result<Chosen, String> {
    let free = Chosen { video_tier: None, cost_micro_usd: 0 };
    match content_type {
        ContentType::Text => Ok(free),
        ContentType::Image if left.images == Some(0) => Err("the campaign's pictures are used up".to_owned()),
        ContentType::Video if left.videos == Some(0) => Err("the campaign's videos are used up".to_owned()),
        ContentType::Image => match costs.image {
            MadeBy::Here => Ok(free),
            MadeBy::Tool { micro_usd_each: None } => Err("the image tool's price is not known: set media.image.micro_usd_each".to_owned()),
            MadeBy::Tool { micro_usd_each: Some(price) } if price > left.micro_usd => {
                Err(format!("a picture costs {price} micro-USD, and the campaign has {} left for media", left.micro_usd))
            }
            MadeBy::Tool { micro_usd_each: Some(price) } => Ok(Chosen { cost_micro_usd: price, ..free }),
        },
        // A video can always be made here.
        ContentType::Video => Ok(match costs.video {
            MadeBy::Tool { micro_usd_each: Some(price) } if price <= left.micro_usd && priority == Priority::High => {
                Chosen { video_tier: Some(VideoTier::Hero), cost_micro_usd: price }
            }
            MadeBy::Here | MadeBy::Tool { .. } => Chosen { video_tier: Some(VideoTier::Daily), cost_micro_usd: 0 },
        }),
    }
}

/// The post gets a picture, which can be afforded.
pub fn take_picture(task: &mut AgentTask, costs: &Costs, left: &mut MediaLeft) {
    if let (Some(criteria), Ok(chosen)) = (&mut task.acceptance_criteria, afford(ContentType::Image, task.priority, costs, left)) {
        criteria.content_type = ContentType::Image;
        take(ContentType::Image, chosen, left);
    }
}

fn take(content_type: ContentType, chosen: Chosen, left: &mut MediaLeft) {
    let count = match content_type {
        ContentType::Text => return,
        ContentType::Image => &mut left.images,
        ContentType::Video => &mut left.videos,
    };
    *count = count.map(|number| number.saturating_sub(1));
    left.micro_usd = left.micro_usd.saturating_sub(chosen.cost_micro_usd);
}

/// What the task's picture or video takes of a tool.
pub fn cost_micro_usd(task: &AgentTask, costs: &Costs) -> u64 {
    let Some(criteria) = &task.acceptance_criteria else { return 0 };
    let made_by = match (criteria.content_type, criteria.video_tier) {
        (ContentType::Image, _) => costs.image,
        (ContentType::Video, Some(VideoTier::Hero) | None) => costs.video,
        (ContentType::Video, Some(VideoTier::Daily)) | (ContentType::Text, _) => MadeBy::Here,
    };
    match made_by {
        MadeBy::Here => 0,
        MadeBy::Tool { micro_usd_each } => micro_usd_each.unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alert, campaign},
        *,
    };
    use crate::swarm::{
        planner::{Story, Terms, plan},
        samples::soul,
    };
    use chrono::DateTime;

    const TOOLS: Costs =
        Costs { text_micro_usd: 0, image: MadeBy::Tool { micro_usd_each: Some(40) }, video: MadeBy::Tool { micro_usd_each: Some(500) } };

    fn left(images: Option<u64>, videos: Option<u64>, micro_usd: u64) -> MediaLeft {
        MediaLeft { images, videos, micro_usd }
    }

    /// Of three agents on a platform, as a strong trend plans them.
    fn posts(platform: &str) -> Vec<AgentTask> {
        let mut alert = alert("k1");
        alert.trend.signal_strength = 0.9;
        let terms = Terms { may_pay: false };
        let souls = ["a", "b", "c"].map(|id| soul(id, "mastodon"));
        let mut tasks = plan(&campaign(None), &souls, &Story::of_trend(&alert.trend), &terms, DateTime::UNIX_EPOCH).unwrap();
        tasks.iter_mut().for_each(|task| task.acceptance_criteria.as_mut().unwrap().platform = platform.to_owned());
        tasks
    }

    fn told(tasks: &[AgentTask]) -> Vec<(ContentType, Option<VideoTier>)> {
        tasks.iter().filter_map(|task| task.acceptance_criteria.as_ref()).map(|made| (made.content_type, made.video_tier)).collect()
    }

    #[test]
    fn posts_of_high_priority_get_what_the_campaign_has_left_and_the_platform_takes() {
        const TEXT: (ContentType, Option<VideoTier>) = (ContentType::Text, None);
        const IMAGE: (ContentType, Option<VideoTier>) = (ContentType::Image, None);
        const DAILY: (ContentType, Option<VideoTier>) = (ContentType::Video, Some(VideoTier::Daily));
        const HERO: (ContentType, Option<VideoTier>) = (ContentType::Video, Some(VideoTier::Hero));
        let here = Costs::default();
        let unpriced = Costs { image: MadeBy::Tool { micro_usd_each: None }, video: MadeBy::Tool { micro_usd_each: None }, ..here };
        for (platform, costs, before, expected) in [
            ("mastodon", here, left(None, None, 0), [TEXT, TEXT, TEXT]),
            ("mastodon", here, left(Some(0), Some(0), 0), [TEXT, TEXT, TEXT]),
            ("mastodon", here, left(Some(1), None, 0), [IMAGE, TEXT, TEXT]),
            ("mastodon", here, left(Some(1), Some(1), 0), [DAILY, IMAGE, TEXT]),
            ("bluesky", here, left(Some(1), Some(1), 0), [IMAGE, TEXT, TEXT]),
            ("twitter", here, left(Some(9), Some(9), 0), [TEXT, TEXT, TEXT]),
            ("mastodon", TOOLS, left(None, Some(3), 1_000), [HERO, HERO, DAILY]),
            ("mastodon", TOOLS, left(Some(3), Some(1), 539), [HERO, TEXT, TEXT]),
            ("mastodon", TOOLS, left(Some(3), Some(1), 540), [HERO, IMAGE, TEXT]),
            ("mastodon", unpriced, left(Some(3), Some(1), 999), [DAILY, TEXT, TEXT]),
        ] {
            let (mut tasks, mut after) = (posts(platform), before);
            choose(&mut tasks, &costs, &mut after);
            assert_eq!(told(&tasks), expected, "{platform} {costs:?} {before:?}");
            let cost: u64 = tasks.iter().map(|task| cost_micro_usd(task, &costs)).sum();
            assert_eq!(before.micro_usd - after.micro_usd, cost, "{platform} {costs:?} {before:?}");
        }
    }

    #[test]
    fn what_is_not_urgent_stays_text_and_a_hero_is_for_what_is() {
        let mut tasks = posts("mastodon");
        tasks.iter_mut().for_each(|task| task.priority = Priority::Medium);
        choose(&mut tasks, &TOOLS, &mut left(Some(9), Some(9), 9_999));
        assert!(told(&tasks).iter().all(|(content_type, _)| *content_type == ContentType::Text));

        let tier = |priority| afford(ContentType::Video, priority, &TOOLS, &left(None, None, 9_999)).unwrap().video_tier;
        assert_eq!((tier(Priority::Medium), tier(Priority::High)), (Some(VideoTier::Daily), Some(VideoTier::Hero)));
    }

    #[test]
    fn what_is_asked_for_and_cannot_be_had_is_told() {
        let image = |costs: &Costs, left: MediaLeft| afford(ContentType::Image, Priority::High, costs, &left).unwrap_err();
        assert!(image(&TOOLS, left(None, None, 39)).contains("costs 40 micro-USD"));
        assert!(image(&Costs::default(), left(Some(0), None, 0)).contains("used up"));
        let unpriced = Costs { image: MadeBy::Tool { micro_usd_each: None }, ..TOOLS };
        assert!(image(&unpriced, left(None, None, 99)).contains("media.image.micro_usd_each"));
    }
}
