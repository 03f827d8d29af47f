//! H.264 by OpenH264, one group of frames at a time.

use super::{VideoError, mp4::Sample, yuv::Planes};
use openh264::{
    OpenH264API,
    encoder::{Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, Profile, RateControlMode, UsageType, VuiConfig},
    formats::YUVSlices,
};

/// The first frame of a group needs no other.
pub struct GroupEncoder {
    encoder: Encoder,
}

impl GroupEncoder {
    pub fn new(frames_per_second: u32, group_frames: u32) -> Result<Self, VideoError> {
        let config = EncoderConfig::new()
            .usage_type(UsageType::CameraVideoRealTime)
            .complexity(Complexity::Low)
            .profile(Profile::Main)
            // Flat colours and sharp letters need few bits at any time: one quality throughout, and no colour that breathes.
            .rate_control_mode(RateControlMode::Off)
            .max_frame_rate(FrameRate::from_hz(frames_per_second as f32))
            .intra_frame_period(IntraFramePeriod::from_num_frames(group_frames))
            .skip_frames(false)
            .scene_change_detect(false)
            .adaptive_quantization(false)
            // Groups run side by side already; one thread for each keeps the bytes the same everywhere.
            .num_threads(1)
            .vui(VuiConfig::bt709());
        Ok(Self { encoder: Encoder::with_api_config(OpenH264API::from_source(), config)? })
    }

    pub fn encode(&mut self, planes: &Planes) -> Result<Sample, VideoError> {
        let (width, height) = (planes.width, planes.height);
        let source = YUVSlices::new((&planes.y, &planes.u, &planes.v), (width, height), (width, width / 2, width / 2));
        let stream = self.encoder.encode(&source)?;
        let is_key = matches!(stream.frame_type(), FrameType::IDR);
        let mut units = Vec::new();
        for layer in (0..stream.num_layers()).filter_map(|layer| stream.layer(layer)) {
            units.extend((0..layer.nal_count()).filter_map(|unit| layer.nal_unit(unit)).map(|unit| without_start_code(unit).to_vec()));
        }
        if units.is_empty() {
            return Err(VideoError::Missing("frame"));
        }
        Ok(Sample { is_key, units })
    }
}

fn without_start_code(unit: &[u8]) -> &[u8] {
    unit.strip_prefix(&[0, 0, 0, 1]).or_else(|| unit.strip_prefix(&[0, 0, 1])).unwrap_or(unit)
}
