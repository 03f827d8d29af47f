//! Where a campaign posts, from one key of its `budget_constraints`.

use crate::domain::{Platform, Soul};
use serde_json::{Map, Value};

const PLATFORMS_KEY: &str = "platforms";

/// Absent is every platform of its agents. What is promised to a day or answers somebody goes by its own platform.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    only: Option<Vec<Platform>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("budget_constraints.{PLATFORMS_KEY} is {found}; it must be a list of platforms, at least one: {}", Platform::ALL.map(Platform::name).join(", "))]
pub struct NotAReach {
    found: String,
}

impl Reach {
    pub fn only(platforms: Vec<Platform>) -> Self {
        Self { only: (!platforms.is_empty()).then_some(platforms) }
    }

    pub fn of(constraints: &Map<String, Value>) -> Result<Self, NotAReach> {
        let Some(value) = constraints.get(PLATFORMS_KEY) else { return Ok(Self::default()) };
        let read = |name: &Value| name.as_str()?.parse::<Platform>().ok();
        let platforms = value.as_array().and_then(|names| names.iter().map(read).collect::<Option<Vec<_>>>());
        match platforms.filter(|platforms| !platforms.is_empty()) {
            Some(platforms) => Ok(Self { only: Some(platforms) }),
            None => Err(NotAReach { found: value.to_string() }),
        }
    }

    pub fn constraint(&self) -> Option<(String, Value)> {
        let names: Vec<&str> = self.only.as_ref()?.iter().map(|platform| platform.name()).collect();
        Some((PLATFORMS_KEY.to_owned(), Value::from(names)))
    }

    pub fn has(&self, platform: Platform) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&platform))
    }

    /// Where this agent posts for the campaign, in the order of its SOUL.
    pub fn of_soul<'a>(&'a self, soul: &'a Soul) -> impl Iterator<Item = Platform> + 'a {
        let is_new = |(place, platform): &(usize, &Platform)| !soul.platforms[..*place].contains(platform);
        soul.platforms.iter().enumerate().filter(is_new).map(|(_, platform)| *platform).filter(|platform| self.has(*platform))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: Value) -> Result<Reach, NotAReach> {
        Reach::of(json!({ "platforms": value }).as_object().unwrap())
    }

    fn soul(platforms: &str) -> Soul {
        let front =
            "name: Selam\nid: selam\nhandle: selam\nvoice_traits: [calm]\ndirectives: [Be brief]\ncore_beliefs: [People come first.]";
        Soul::parse(&format!("---\n{front}\nplatforms: [{platforms}]\ndisclosure: AI-generated\n---\nShe reads.\n")).unwrap()
    }

    #[test]
    fn a_campaign_posts_wherever_its_agents_are_or_on_those_of_their_platforms_that_it_names() {
        let selam = soul("mastodon, bluesky, twitter");
        let places = |reach: &Reach| reach.of_soul(&selam).map(Platform::name).collect::<Vec<_>>();
        assert_eq!(places(&Reach::default()), ["mastodon", "bluesky", "twitter"]);
        assert_eq!(places(&of(json!(["twitter", "linkedin", "mastodon"])).unwrap()), ["mastodon", "twitter"]);
        assert_eq!(places(&of(json!(["linkedin"])).unwrap()), [""; 0]);
    }

    #[test]
    fn it_is_read_back_as_it_was_written_and_what_is_no_list_of_platforms_is_refused() {
        let reach = Reach::only(vec![Platform::Bluesky, Platform::Twitter]);
        assert_eq!(Reach::of(&reach.constraint().into_iter().collect()), Ok(reach));
        assert_eq!(Reach::only(Vec::new()).constraint(), None);
        for wrong in [json!([]), json!("mastodon"), json!(["mastodon", "myspace"]), json!([1]), json!(null)] {
            assert!(of(wrong.clone()).unwrap_err().to_string().contains("mastodon"), "{wrong}");
        }
    }
}
