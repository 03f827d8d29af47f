//! The kinds of a campaign's posts, by its mix, and which of them get a picture or a video.

use super::{
    super::planner::media::{self, Costs},
    PlanError, Swarm,
};
use crate::{
    contracts::{
        content_generator::{ContentType, PostForm},
        task::{AgentTask, TaskType},
    },
    domain::{
        Platform,
        campaign::{Budget, MediaLeft, Mix},
    },
    ports::swarm::CampaignState,
};
use std::collections::BTreeMap;

impl Swarm {
    /// With the form of each post, pictures and videos as far as the campaign may have them, and what each task may cost and risk.
    pub(super) async fn formed(&self, campaign: &CampaignState, mut tasks: Vec<AgentTask>) -> Result<Vec<AgentTask>, PlanError> {
        let constraints = &campaign.goal.budget_constraints;
        let (budget, mix) = (Budget::of(constraints)?, Mix::of(constraints)?);
        if budget.has_media() || mix.is_some() {
            let campaign_id = &campaign.goal.campaign_id;
            let mut left = budget.media_left(&self.ports.campaigns.used(campaign_id).await?);
            if let Some(mix) = &mix {
                let earlier = self.ports.tasks.of_campaign(campaign_id).await?;
                assign(mix, &mut tasks, &earlier, &self.settings.costs, &mut left);
            }
            media::choose(&mut tasks, &self.settings.costs, &mut left);
        }
        Ok(tasks.into_iter().map(|task| self.weighed(campaign, task)).collect())
    }
}

/// Each post gets the form that its agent's readers on its platform saw least of. One that is queued already keeps what it has.
fn assign(mix: &Mix, tasks: &mut [AgentTask], earlier: &[AgentTask], costs: &Costs, left: &mut MediaLeft) {
    let mut seen: BTreeMap<(String, String), Vec<PostForm>> = BTreeMap::new();
    for task in earlier {
        if let Some(place) = place_of(task) {
            seen.entry(place).or_default().push(form_of(task));
        }
    }
    for task in tasks {
        let Some(place) = place_of(task) else { continue };
        if let Some(queued) = earlier.iter().find(|queued| queued.task_id == task.task_id) {
            task.context.form = queued.context.form;
            continue;
        }
        let has_picture = |platform: &str, left: &MediaLeft| {
            platform.parse::<Platform>().is_ok_and(|platform| media::is_taken(platform, ContentType::Image))
                && media::afford(ContentType::Image, task.priority, costs, left).is_ok()
        };
        let forms = seen.entry(place.clone()).or_default();
        let form = mix.next(forms, |form| form != PostForm::Picture || has_picture(&place.1, left));
        forms.push(form);
        task.context.form = Some(form);
        if form == PostForm::Picture {
            media::take_picture(task, costs, left);
        }
    }
}

/// What was planned before there was a mix, or without one, was news, or a picture where it has one.
fn form_of(task: &AgentTask) -> PostForm {
    let is_picture = task.acceptance_criteria.as_ref().is_some_and(|criteria| criteria.content_type == ContentType::Image);
    task.context.form.unwrap_or(if is_picture { PostForm::Picture } else { PostForm::News })
}

fn place_of(task: &AgentTask) -> Option<(String, String)> {
    let criteria = task.acceptance_criteria.as_ref().filter(|_| task.task_type == TaskType::GenerateContent)?;
    Some((task.context.agent_id.clone(), criteria.platform.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swarm::{
        planner::{Terms, plan},
        samples::{campaign, soul, story},
    };
    use chrono::DateTime;

    fn planned(story_id: &str, platforms: &str) -> Vec<AgentTask> {
        plan(&campaign(), &[soul("selam", platforms)], &story(story_id), &Terms { may_pay: false }, DateTime::UNIX_EPOCH).unwrap()
    }

    fn assigned(mix: &str, platforms: &str, images: Option<u64>) -> Vec<Vec<(PostForm, ContentType)>> {
        let mix: Mix = mix.parse().unwrap();
        let mut left = MediaLeft { images, ..MediaLeft::default() };
        let mut earlier: Vec<AgentTask> = Vec::new();
        let told = |task: &AgentTask| (task.context.form.unwrap(), task.acceptance_criteria.as_ref().unwrap().content_type);
        (0..6)
            .map(|number| {
                let mut tasks = planned(&format!("story {number}"), platforms);
                assign(&mix, &mut tasks, &earlier, &Costs::default(), &mut left);
                earlier.extend(tasks.clone());
                tasks.iter().map(told).collect()
            })
            .collect()
    }

    #[test]
    fn the_readers_of_each_platform_see_the_whole_mix() {
        use {
            ContentType::Text,
            PostForm::{News, Opinion},
        };
        for stories in assigned("news=50,opinion=50", "mastodon, bluesky", None).chunks(2) {
            assert_eq!(stories, [[(News, Text); 2], [(Opinion, Text); 2]]);
        }
    }

    #[test]
    fn a_picture_is_planned_where_the_platform_takes_it_and_the_campaign_has_some_left() {
        let pictures = |platforms: &str, images| {
            let posts = assigned("news=1,picture=1", platforms, images).concat();
            assert!(posts.iter().all(|(form, made)| (*form == PostForm::Picture) == (*made == ContentType::Image)), "{posts:?}");
            posts.iter().filter(|(form, _)| *form == PostForm::Picture).count()
        };
        assert_eq!((pictures("mastodon", None), pictures("mastodon", Some(1)), pictures("twitter", None)), (3, 1, 0));
    }

    #[test]
    fn what_is_queued_keeps_its_form() {
        let mix: Mix = "opinion=1".parse().unwrap();
        let mut queued = planned("story", "mastodon");
        queued[0].context.form = Some(PostForm::Question);
        let mut again = planned("story", "mastodon");
        assign(&mix, &mut again, &queued, &Costs::default(), &mut MediaLeft::default());
        assert_eq!(again[0].context.form, Some(PostForm::Question));
    }
}
