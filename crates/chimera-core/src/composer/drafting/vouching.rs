//! What a text may name so that a platform makes it active: how its sources are cited, and whom and what the operator names.

use super::Desk;
use crate::{
    composer::{Brief, Citation, Comment, Source, fitting::Parts},
    domain::{Author, WebUrl},
    policy::finished::Vouched,
};

/// Nobody reads a longer link; its site is named instead.
const CITED_LINK_BYTES_MAX: usize = 400;

impl Desk<'_> {
    /// What a text of these parts may name so that a platform makes it active.
    pub(super) fn vouched(&self, parts: &Parts) -> Vouched {
        let cited = parts.citations.iter().flat_map(|citation| [citation.full.as_str(), citation.brief.as_str()]);
        let ours = self.named.iter().chain(&parts.hashtags).map(String::as_str);
        Vouched::by(ours.chain(cited))
    }
}

pub(super) fn citation(source: &Source) -> Option<Citation> {
    let site_or_link = |url: &WebUrl| {
        let full = if url.as_str().len() <= CITED_LINK_BYTES_MAX { url.as_str() } else { url.site() };
        Citation { full: full.to_owned(), brief: url.site().to_owned() }
    };
    let name = || source.author.as_ref().and_then(Author::name).map(|name| Citation { full: name.to_owned(), brief: name.to_owned() });
    source.url.as_ref().map(site_or_link).or_else(name)
}

/// Whom and what the operator's goal and brief and the SOUL name. A goal that repeats the comment has a stranger's words in it.
pub(super) fn named(brief: &Brief<'_>, comment: Option<&Comment>) -> Vec<String> {
    let soul = brief.soul;
    let goal = Some(brief.goal).filter(|goal| comment.is_none_or(|comment| !goal.contains(comment.text.as_data())));
    let directives = brief.directives.iter().map(|directive| directive.text.as_str());
    let beliefs = soul.core_beliefs.iter().map(String::as_str);
    let told = goal
        .into_iter()
        .chain(brief.feedback.brief.as_deref())
        .chain([soul.name.as_str(), &soul.disclosure, &soul.backstory])
        .chain(beliefs)
        .chain(directives);
    told.map(str::to_owned).chain([format!("@{}", soul.handle)]).collect()
}
