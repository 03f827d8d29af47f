use super::*;
use crate::{
    card,
    credentials::{Credentials, Statement},
    png_file::encode_png,
    video,
};
use chimera_core::{
    domain::platform::{PixelSize, Platform},
    ports::{
        media::{MediaFileError, MediaPersona, WordsBy},
        tools::{ToolAnswer, ToolError},
    },
    testing::fake_clock::ManualClock,
};
use serde_json::Value;
use std::sync::Mutex;

/// A tool and the file behind its answer.
struct Studio {
    answer: Result<Value, ToolError>,
    file: Result<Vec<u8>, MediaFileError>,
    asked: Mutex<Vec<Map<String, Value>>>,
}

#[async_trait]
impl Tools for Studio {
    async fn call(&self, server: &str, tool: &str, arguments: Map<String, Value>, _: Duration) -> Result<ToolAnswer, ToolError> {
        assert_eq!((server, tool), ("images", "generate_image"));
        self.asked.lock().unwrap().push(arguments);
        self.answer.clone().map(ToolAnswer::new)
    }
}

#[async_trait]
impl MediaFiles for Studio {
    async fn fetch(&self, server: &str, uri: &str, _: Duration) -> Result<Vec<u8>, MediaFileError> {
        assert_eq!((server, uri), ("images", "images://1"));
        self.file.clone()
    }
}

fn drawing(kind: MediaKind) -> Vec<u8> {
    let content = card::Content {
        headline: "Good tools".to_owned(),
        source: None,
        name: "Selam".to_owned(),
        handle: "selam".to_owned(),
        label: "AI".to_owned(),
        brand: Vec::new(),
        logo: None,
        seed: String::new(),
    };
    let card = card::card_in(&content, card::Size { width: 320, height: 480 }, card::Layout::Frame).unwrap();
    match kind {
        MediaKind::Image => encode_png(&card::paint(&card)).unwrap(),
        MediaKind::Video => video::film(&card, 6_000).unwrap(),
    }
}

fn studio(answer: Value, file: Vec<u8>) -> Studio {
    Studio { answer: Ok(answer), file: Ok(file), asked: Mutex::default() }
}

async fn make(studio: Studio, kind: MediaKind, character: Option<&str>) -> (Arc<Studio>, Result<MadeMedia, MediaError>) {
    let folder = tempfile::tempdir().unwrap();
    let studio = Arc::new(studio);
    let maker = UpstreamMaker {
        tools: studio.clone(),
        files: studio.clone(),
        signing: Arc::new(Signing::new(folder.path().to_owned(), Arc::new(ManualClock::at("2026-11-15T08:00:00Z")))),
        server: "images".to_owned(),
        tool: "generate_image".to_owned(),
    };
    let brief = MediaBrief {
        task_id: "3f2b8c1e-6d4a-4f7b-9a2e-1c5d7e9f0a1b".parse().unwrap(),
        agent: "selam".parse().unwrap(),
        kind,
        tier: None,
        platform: Some(Platform::Twitter),
        headline: "Bike lanes opened.".to_owned(),
        source: None,
        persona: MediaPersona {
            name: "Selam".to_owned(),
            handle: "selam.makes".to_owned(),
            disclosure: "AI-generated".to_owned(),
            brand: None,
            character_reference_id: character.map(str::to_owned),
        },
        words_by: WordsBy::Composer,
    };
    let made = maker.make(&brief).await;
    (studio, made)
}

#[tokio::test]
async fn a_tools_picture_is_asked_for_with_the_character_and_comes_back_signed() {
    for (answer, character, expected) in
        [(json!({"media_uri": "images://1"}), Some("selam-v3"), "selam-v3"), (json!("{\"media_uri\": \"images://1\"}"), None, "selam")]
    {
        let (studio, made) = make(studio(answer, drawing(MediaKind::Image)), MediaKind::Image, character).await;

        let made = made.unwrap();
        assert_eq!(made.size, PixelSize { width: 320, height: 480 });
        assert!(made.bytes.windows(12).any(|part| part == b"c2pa.claim.v") && made.alt_text.contains("Bike lanes opened."));
        let asked = studio.asked.lock().unwrap().pop().unwrap();
        assert_eq!((&asked["width"], &asked["height"], &asked["character_reference_id"]), (&json!(1600), &json!(900), &json!(expected)));
        assert!(asked["prompt"].as_str().unwrap().contains("Bike lanes opened."));
    }
}

#[tokio::test]
async fn a_tools_video_is_of_the_hero_tier() {
    let (_, made) = make(studio(json!({"media_uri": "images://1"}), drawing(MediaKind::Video)), MediaKind::Video, None).await;
    let video = made.unwrap().video.unwrap();
    assert_eq!((video.tier, video.duration_ms, video.codec.as_str()), (VideoTier::Hero, 6_000, "h264"));
}

/// As a tool signs that has this program's own signer, under a key of its own.
fn signed_elsewhere(kind: MediaKind) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let credentials = Credentials::open(folder.path(), "2026-11-15T08:00:00Z".parse().unwrap()).unwrap();
    let statement = Statement {
        agent_id: "a-camera".to_owned(),
        task_id: "holiday".to_owned(),
        label: "taken by a photographer".to_owned(),
        origin: Origin::Algorithm,
    };
    match kind {
        MediaKind::Image => credentials.sign_png(&statement, &drawing(kind)),
        MediaKind::Video => credentials.sign_mp4(&statement, &drawing(kind)),
    }
    .unwrap()
}

fn says(file: &[u8], words: &str) -> bool {
    file.windows(words.len()).any(|part| part == words.as_bytes())
}

#[tokio::test]
async fn what_a_tool_says_of_its_file_is_taken_out_before_we_sign_and_on_record() {
    for kind in [MediaKind::Image, MediaKind::Video] {
        let file = signed_elsewhere(kind);
        assert!(says(&file, "taken by a photographer"));

        let (_, made) = make(studio(json!({"media_uri": "images://1"}), file), kind, None).await;

        let made = made.unwrap();
        assert_eq!(made.removed, ["Content Credentials"], "{kind:?}");
        assert!(!says(&made.bytes, "taken by a photographer") && !says(&made.bytes, "a-camera"), "{kind:?}");
        assert!(says(&made.bytes, "AI-generated") && says(&made.bytes, "trainedAlgorithmicMedia"), "{kind:?}");
        let facts = facts_of(&made.bytes).unwrap();
        assert_eq!((facts.size, facts.duration_ms.is_some()), (PixelSize { width: 320, height: 480 }, kind == MediaKind::Video));
    }
}

#[tokio::test]
async fn whatever_the_tool_gets_wrong_is_its_failure_by_name() {
    let good = || json!({"media_uri": "images://1"});
    let refused = ToolError::Refused { server: "images".to_owned(), tool: "generate_image".to_owned(), reason: "no credit".to_owned() };
    for (studio, part) in [
        (Studio { answer: Err(refused), ..studio(good(), Vec::new()) }, "no credit"),
        (Studio { file: Err(MediaFileError("no such resource".to_owned())), ..studio(good(), Vec::new()) }, "no such resource"),
        (studio(json!({"url": "images://1"}), Vec::new()), "no media_uri"),
        (studio(json!("a nice picture"), Vec::new()), "no media_uri"),
        (studio(good(), b"<html>".to_vec()), "no PNG, JPEG or MP4"),
        (studio(good(), drawing(MediaKind::Video)), "it made video/mp4"),
    ] {
        match make(studio, MediaKind::Image, None).await.1 {
            Err(MediaError::Upstream(problem)) => assert!(problem.contains(part) && problem.contains("generate_image"), "{problem}"),
            other => panic!("{other:?}"),
        }
    }
}
