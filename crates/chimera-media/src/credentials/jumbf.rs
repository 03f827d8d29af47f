//! JUMBF boxes (ISO 19566-5): the envelope of a manifest.

/// The four letters of a content type, with the fixed rest of its UUID.
const UUID_TAIL: [u8; 12] = [0x00, 0x11, 0x00, 0x10, 0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71];
/// May be asked for by its label, and has one.
const REQUESTABLE_WITH_LABEL: u8 = 0x03;

/// A box of one kind with what is in it.
pub fn plain_box(kind: &[u8; 4], contents: &[u8]) -> Vec<u8> {
    let length = u32::try_from(contents.len() + 8).expect("a manifest has a few kilobytes");
    let mut out = Vec::with_capacity(contents.len() + 8);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(kind);
    out.extend_from_slice(contents);
    out
}

/// A described box around others.
#[derive(Debug, Clone)]
pub struct Superbox {
    bytes: Vec<u8>,
}

impl Superbox {
    pub fn new(content_type: &[u8; 4], label: &str, contents: &[Vec<u8>]) -> Self {
        let mut description = Vec::with_capacity(label.len() + 18);
        description.extend_from_slice(content_type);
        description.extend_from_slice(&UUID_TAIL);
        description.push(REQUESTABLE_WITH_LABEL);
        description.extend_from_slice(label.as_bytes());
        description.push(0);
        let inner = [plain_box(b"jumd", &description), contents.concat()].concat();
        Self { bytes: plain_box(b"jumb", &inner) }
    }

    /// With its own header.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// What a reference to this box hashes: everything but the header.
    pub fn hashed_part(&self) -> &[u8] {
        &self.bytes[8..]
    }
}
