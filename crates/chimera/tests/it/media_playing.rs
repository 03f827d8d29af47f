//! A video of the real program, probed by ffmpeg and played by Chromium.

use crate::{
    media::{asset_file, named, task},
    peers::{self, Peer},
    program::{Folder, PATIENCE, Running, run},
};
use axum::{
    Router,
    extract::Query,
    http::header,
    response::Html,
    routing::{get, post},
};
use serde_json::Value;
use std::collections::HashMap;
use tokio::{net::TcpListener, process::Command, sync::mpsc, task::JoinSet};

/// Plays the video at a multiple of its speed and tells what it saw.
const PAGE: &str = "<!doctype html><video id=v muted playsinline src=video.mp4></video><script>
const v = document.getElementById('v');
const tell = what => fetch(`told?what=${what}&width=${v.videoWidth}&height=${v.videoHeight}&seconds=${v.duration}&at=${v.currentTime}`, {method: 'POST'});
v.addEventListener('ended', () => tell('ended'));
v.addEventListener('error', () => tell('error-' + (v.error && v.error.code)));
v.playbackRate = 4;
v.play().catch(error => tell('refused-' + error.name));
</script>";

#[tokio::test]
async fn a_video_passes_ffprobe_and_plays_to_its_end_in_a_browser() {
    let (Some(ffprobe), Some(chromium)) = (peers::program(Peer::Ffprobe), peers::program(Peer::Chromium)) else { return };
    let folder = Folder::new();
    folder.create_agent().await;
    let answer = folder.call("skill_content_generator", &task("video", "instagram")).await;
    assert_eq!(answer["success"], true, "{answer}");
    let file = named(&folder, &asset_file(&folder, &answer), "video.mp4");

    let mut probe = Command::new(ffprobe);
    probe.args(["-v", "warning", "-count_frames", "-show_streams", "-show_format", "-of", "json"]).arg(&file);
    let probed = run(probe, b"").await;

    assert_eq!((probed.code, probed.stderr.as_str()), (Some(0), ""), "{probed:?}");
    let probed: Value = serde_json::from_str(&probed.stdout).unwrap();
    let stream = &probed["streams"][0];
    assert_eq!((&stream["codec_name"], &stream["pix_fmt"], &stream["r_frame_rate"]), (&"h264".into(), &"yuv420p".into(), &"24/1".into()));
    assert_eq!((&stream["width"], &stream["height"], &stream["color_space"]), (&1080.into(), &1920.into(), &"bt709".into()));
    let seconds: f64 = probed["format"]["duration"].as_str().unwrap().parse().unwrap();
    assert!((6.0..=15.0).contains(&seconds), "{seconds}");
    assert_eq!(stream["nb_read_frames"], stream["nb_frames"]);

    let told = played(&folder, &chromium, std::fs::read(&file).unwrap()).await;
    let number = |name: &str| told[name].parse::<f64>().unwrap();
    assert_eq!(told["what"], "ended", "{told:?}");
    assert_eq!((number("width"), number("height")), (1080.0, 1920.0));
    assert!((number("seconds") - seconds).abs() < 0.1 && (number("at") - seconds).abs() < 0.1, "{told:?}");
}

/// What the page told us.
async fn played(folder: &Folder, chromium: &std::path::Path, video: Vec<u8>) -> HashMap<String, String> {
    let (tell, mut told) = mpsc::channel(8);
    let router = Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/video.mp4", get(move || async move { ([(header::CONTENT_TYPE, "video/mp4")], video) }))
        .route("/told", post(move |Query(facts): Query<HashMap<String, String>>| async move { tell.send(facts).await.unwrap() }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut server = JoinSet::new();
    server.spawn(async move { axum::serve(listener, router).await.unwrap() });
    let mut command = Command::new(chromium);
    command
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio"])
        .args(["--autoplay-policy=no-user-gesture-required", "--remote-debugging-port=0"])
        .arg(format!("--user-data-dir={}", folder.path().join("browser").display()))
        .arg(format!("http://{address}/"))
        .env("HOME", folder.path());
    // Its whole group ends with this value.
    let _browser = Running::start(command);
    tokio::time::timeout(PATIENCE, told.recv()).await.expect("the page tells in time").unwrap()
}
