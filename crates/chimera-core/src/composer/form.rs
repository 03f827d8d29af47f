//! The kind of post that is wanted, as far as the composer can have it: it has no opinion and no question but those that its SOUL states.

use super::{drafting::Desk, post::belief};
use crate::contracts::content_generator::PostForm;

/// What a post says of its own after what happened, and what the trace tells of it.
pub(super) struct OwnWords {
    pub(super) sentence: Option<String>,
    /// Empty where no form was asked for that needs words of its own.
    told: &'static str,
}

const GRAVE: &str = "; told as news, since it is about something grave";
const NO_ROOM: &str = "; told as news, since the platform has no room for more";

/// For the trace of a post that has nothing to tell an opinion or a question about.
pub(super) fn without_material(form: Option<PostForm>) -> &'static str {
    match form {
        Some(PostForm::Opinion | PostForm::Question) => "; of no form, since nothing happened that it could be about",
        None | Some(PostForm::News | PostForm::Picture) => "",
    }
}

impl OwnWords {
    pub(super) fn of(desk: &Desk<'_>) -> Self {
        let stated = |is_question: bool| belief(desk, |belief| belief.trim_end().ends_with(['?', '？', '؟', '፧']) == is_question);
        let (found, had, missing) = match desk.brief.assignment.form {
            None | Some(PostForm::News | PostForm::Picture) => return Self { sentence: None, told: "" },
            Some(PostForm::Opinion) => (
                stated(false),
                "; an opinion, by a belief of the SOUL",
                "; told as news: no belief of the SOUL is to the point and not said yet, and this writer has no others",
            ),
            Some(PostForm::Question) => (
                stated(true),
                "; a question that the SOUL states",
                "; told as news: the SOUL states no question that is to the point and not asked yet, and this writer has no others",
            ),
        };
        let sentence = found.map(|belief| belief.passage.text());
        Self { told: if sentence.is_some() { had } else { missing }, sentence }
    }

    /// For the trace of a post that says them, or not.
    pub(super) fn note(&self, are_said: bool, is_grave: bool) -> &'static str {
        match (&self.sentence, are_said) {
            (None, _) | (Some(_), true) => self.told,
            (Some(_), false) if is_grave => GRAVE,
            (Some(_), false) => NO_ROOM,
        }
    }
}
