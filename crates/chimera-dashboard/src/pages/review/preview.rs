//! What the platform's readers would see: drawn from the arguments of the publishing call, so that nothing is shown that is not sent.
//! Frames are neutral; no platform's own signs are imitated.

use crate::pages::components::{
    Tone, chip,
    icons::{Icon, icon},
    outside, outside_line, platform_name,
    text::{WebLink, marked},
};
use chimera_core::{
    contracts::{
        content_generator::Artifact,
        views::reviews::{AnsweredPost, PublishPreview, ReviewKind, ReviewRow},
    },
    domain::{
        asset::AssetId,
        hidden::{Lines, visible},
        platform::{Limits, Platform, links},
    },
};
use maud::{Markup, html};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

pub(super) struct Preview<'a> {
    author: &'a str,
    platform: &'a str,
    text: &'a str,
    media_uri: Option<&'a str>,
    media_type: Option<&'a str>,
    alt_text: Option<&'a str>,
    reply_to: Option<&'a str>,
    answered: Option<&'a AnsweredPost>,
    length: usize,
    length_max: usize,
    leaves: Leaves,
}

enum Leaves {
    /// This is what is sent.
    Yes,
    DryRun,
    /// A draft only: nothing would leave as it stands.
    No,
    /// It may be there already.
    Perhaps,
}

impl<'a> Preview<'a> {
    pub(super) fn of_call(author: &'a str, call: &'a PublishPreview) -> Self {
        Self {
            author,
            platform: &call.platform,
            text: &call.text,
            media_uri: call.media_uri.as_deref(),
            media_type: call.media_type.as_deref(),
            alt_text: call.alt_text.as_deref(),
            reply_to: call.reply_to.as_deref(),
            answered: None,
            length: call.length,
            length_max: call.length_max,
            leaves: if call.is_dry_run { Leaves::DryRun } else { Leaves::Yes },
        }
    }

    pub(super) fn of_draft(row: &'a ReviewRow, text: &'a str, artifact: Option<&'a Artifact>) -> Self {
        let platform = row.platform.as_deref().unwrap_or_default();
        let limits = Limits::of(platform.parse().ok());
        Self {
            author: &row.agent_id,
            platform,
            text,
            media_uri: artifact.and_then(|artifact| artifact.payload_media_uri.as_deref()),
            media_type: None,
            alt_text: None,
            reply_to: None,
            answered: None,
            length: limits.length(text),
            length_max: limits.length_max,
            leaves: if row.kind == ReviewKind::UnknownPost { Leaves::Perhaps } else { Leaves::No },
        }
    }

    pub(super) fn answering(self, answered: Option<&'a AnsweredPost>) -> Self {
        Self { answered, ..self }
    }

    fn known_platform(&self) -> Option<Platform> {
        self.platform.parse().ok()
    }
}

/// After how many characters a platform says "more": on a phone, and on a desktop.
struct Fold {
    phone: Option<usize>,
    desktop: Option<usize>,
}

fn fold(platform: Option<Platform>) -> Fold {
    match platform {
        Some(Platform::Linkedin) => Fold { phone: Some(140), desktop: Some(210) },
        Some(Platform::Instagram) => Fold { phone: Some(125), desktop: Some(125) },
        Some(Platform::Threads) => Fold { phone: Some(250), desktop: None },
        Some(Platform::Tiktok) => Fold { phone: Some(100), desktop: Some(100) },
        Some(Platform::Twitter | Platform::Bluesky | Platform::Mastodon) | None => Fold { phone: None, desktop: None },
    }
}

/// What a platform counts.
pub(super) fn unit(platform: Option<Platform>) -> &'static str {
    match platform {
        Some(Platform::Twitter) => "weighted characters, a link is 23",
        Some(Platform::Bluesky) => "characters as readers see them",
        Some(Platform::Mastodon) => "characters, a link is 23",
        Some(Platform::Threads) => "characters, an emoji by its bytes",
        Some(Platform::Instagram | Platform::Tiktok | Platform::Linkedin) => "UTF-16 units",
        None => "characters",
    }
}

pub(super) fn preview(preview: &Preview<'_>) -> Markup {
    let platform = preview.known_platform();
    let fold = fold(platform);
    let has_fold = fold.phone.is_some() || fold.desktop.is_some();
    html! {
        figure #preview .preview data-width="desktop" {
            figcaption {
                span { (platform_name(preview.platform)) }
                @match preview.leaves {
                    Leaves::Yes => (chip(Tone::Ok, "leaves as shown")),
                    Leaves::DryRun => span title="No publisher is configured for it, or it is set to dry-run" { (chip(Tone::Neutral, "dry run: nothing leaves")) },
                    Leaves::No => (chip(Tone::Neutral, "a draft")),
                    Leaves::Perhaps => (chip(Tone::Warn, "as it was sent")),
                }
                (counter(preview))
                button.button.quiet.width type="button" data-act="width" aria-label="As on a phone, or a desktop" title="As on a phone, or a desktop (p)" {
                    span.on-phone { (icon(Icon::Phone)) span.label { "Phone" } }
                    span.on-desktop { (icon(Icon::Desktop)) span.label { "Desktop" } }
                }
            }
            div.frame {
                @if let Some(answered) = preview.answered { (in_reply_to(answered)) }
                @else if let Some(answered) = preview.reply_to { p.reply-to { "In reply to " (outside_line(answered)) } }
                div.author { span.avatar aria-hidden="true" { (initials(preview.author)) } strong { (outside_line(preview.author)) } }
                div.words.for-desktop dir="auto" { (folded(preview.text, fold.desktop)) }
                div.words.for-phone dir="auto" { (folded(preview.text, fold.phone)) }
                (media(preview, platform))
                (cards(preview, platform))
            }
            @if has_fold { p.muted.small { "Where it says “more” is an estimate; platforms do not publish it." } }
        }
    }
}

/// Drawn above the reply, as platforms do. Nothing of it leaves with it.
fn in_reply_to(answered: &AnsweredPost) -> Markup {
    html! {
        blockquote.reply-to {
            p { "In reply to " @match &answered.author { Some(author) => strong { (outside_line(author)) }, None => "somebody" } " on " (platform_name(&answered.platform)) ", post " (outside_line(&answered.post_id)) }
            @match &answered.text {
                Some(text) => div.words dir="auto" { (marked(text, Lines::Many)) },
                None => p { "What it says was not kept." },
            }
        }
    }
}

fn counter(preview: &Preview<'_>) -> Markup {
    let is_over = preview.length > preview.length_max;
    html! { span.length .over[is_over] title=(unit(preview.known_platform())) { (preview.length) " of " (preview.length_max) } }
}

fn initials(name: &str) -> String {
    name.split(['-', '_', ' ']).filter_map(|word| word.graphemes(true).next()).take(2).collect::<String>().to_uppercase()
}

/// The text with a line where the platform folds it.
fn folded(text: &str, at: Option<usize>) -> Markup {
    let place = at.and_then(|at| text.grapheme_indices(true).nth(at)).map(|(place, _)| place);
    html! {
        @match place {
            None => (marked(text, Lines::Many)),
            Some(place) => {
                (marked(&text[..place], Lines::Many))
                span.fold { "here it says “more”" }
                span.below-fold { (marked(&text[place..], Lines::Many)) }
            },
        }
    }
}

/// The picture or video, by our own address.
fn media(preview: &Preview<'_>, platform: Option<Platform>) -> Markup {
    let Some(uri) = preview.media_uri else { return html! {} };
    let Some(id) = uri.strip_prefix(AssetId::URI_START).and_then(|id| id.parse::<AssetId>().ok()) else {
        return html! { p.media-missing { "Media that is not ours: " (outside_line(uri)) } };
    };
    let is_video = preview.media_type.is_some_and(|media_type| media_type.starts_with("video/"));
    let address = format!("/assets/{id}");
    html! {
        div.media .masked[is_video && platform == Some(Platform::Tiktok)] {
            @if is_video { video src=(address) controls preload="metadata" playsinline data-idle aria-label=(described(preview, "The video")) {} }
            @else { img src=(address) alt=(described(preview, "The picture; it has no description")) loading="lazy" decoding="async"; }
            @if is_video && platform == Some(Platform::Tiktok) { span.mask aria-hidden="true" title="Covered by the app's own buttons" {} }
        }
        @match preview.alt_text {
            Some(alt) => p.alt { span.muted { "Description " } (outside(alt)) },
            None => p.alt { span.muted { "No description for those who cannot see it." } },
        }
    }
}

/// For an attribute, where no mark can be drawn.
fn described<'a>(preview: &Preview<'a>, otherwise: &'a str) -> Cow<'a, str> {
    visible(preview.alt_text.unwrap_or(otherwise))
}

/// What the platform itself would draw from a linked page, where it does.
fn cards(preview: &Preview<'_>, platform: Option<Platform>) -> Markup {
    let draws = match platform {
        Some(Platform::Twitter) => true,
        Some(Platform::Linkedin | Platform::Mastodon) => preview.media_uri.is_none(),
        _ => false,
    };
    let link = links(preview.text).into_iter().find_map(WebLink::of).filter(|_| draws);
    html! { @if let Some(link) = link { p.card { (icon(Icon::Image)) span { "A card that the platform draws from " strong { (link.host()) } } } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(platform: &str, text: &str) -> PublishPreview {
        PublishPreview {
            platform: platform.to_owned(),
            is_dry_run: true,
            text: text.to_owned(),
            media_uri: None,
            media_type: None,
            alt_text: None,
            reply_to: None,
            length: 1,
            length_max: 2,
        }
    }

    fn shown(call: &PublishPreview) -> String {
        preview(&Preview::of_call("selam", call)).into_string()
    }

    #[test]
    fn the_fold_is_where_the_platform_has_it_and_never_inside_a_character() {
        let long = "é".repeat(126);
        let shown = shown(&call("instagram", &long));
        assert!(shown.contains(&format!("{}<span class=\"fold\">", "é".repeat(125))), "{shown}");
        assert!(!self::shown(&call("bluesky", &long)).contains("class=\"fold\""));
    }

    #[test]
    fn only_our_own_media_is_loaded() {
        let id = AssetId::of(b"x");
        let ours = PublishPreview { media_uri: Some(id.uri()), media_type: Some("video/mp4".to_owned()), ..call("tiktok", "x") };
        assert!(shown(&ours).contains(&format!("<video src=\"/assets/{id}\"")));

        for uri in ["https://evil.example/x.png", "chimera://assets/../x", "javascript:x", "/assets/x"] {
            let other = PublishPreview { media_uri: Some(uri.to_owned()), ..call("tiktok", "x") };
            assert!(!shown(&other).contains("src="), "{uri}");
        }
    }

    #[test]
    fn what_a_reply_answers_is_drawn_as_text_whatever_it_is() {
        let hostile = "<script>alert(1)</script>\u{202e}\njavascript:alert(1)";
        let answered = AnsweredPost {
            platform: "mastodon".to_owned(),
            post_id: "\"><img src=x onerror=alert(1)>".to_owned(),
            author: Some("<b>ada</b>".to_owned()),
            text: Some(hostile.to_owned()),
        };
        let call = PublishPreview { reply_to: Some("114".to_owned()), ..call("mastodon", "x") };
        let shown = preview(&Preview::of_call("selam", &call).answering(Some(&answered))).into_string();

        assert!(shown.contains("&lt;b&gt;ada&lt;/b&gt;") && shown.contains("&lt;script&gt;alert(1)"), "{shown}");
        for markup in ["<script", "<img", "<b>", "href=", "\u{202e}"] {
            assert!(!shown.contains(markup), "{markup} in {shown}");
        }
        let unheard = AnsweredPost { author: None, text: None, ..answered };
        let shown = preview(&Preview::of_call("selam", &call).answering(Some(&unheard))).into_string();
        assert!(shown.contains("somebody") && shown.contains("was not kept"), "{shown}");
    }

    #[test]
    fn a_dry_run_says_that_nothing_leaves() {
        assert!(shown(&call("bluesky", "x")).contains("dry run: nothing leaves"));
        assert!(!shown(&PublishPreview { is_dry_run: false, ..call("bluesky", "x") }).contains("dry run"));
    }
}
