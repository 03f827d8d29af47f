//! Resources that answer as the test says, and remember what was read.

use crate::{
    domain::Untrusted,
    ports::resources::{ResourceError, ResourceText, Resources},
};
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::Barrier;

/// What a resource does when it is read.
#[derive(Debug, Clone)]
pub enum Scripted {
    Text(String),
    Parts(Vec<ResourceText>),
    Fails(ResourceError),
    /// Gives its text once as many reads as the barrier counts are under way: one after the other would wait for ever.
    WithOthers(Arc<Barrier>, String),
}

#[derive(Default)]
pub struct ScriptedResources {
    scripts: Mutex<BTreeMap<String, Scripted>>,
    reads: Mutex<Vec<String>>,
}

impl ScriptedResources {
    /// From now on, `uri` does this.
    pub fn set(&self, uri: &str, script: Scripted) {
        self.scripts.lock().expect("no test panics while holding the scripts").insert(uri.to_owned(), script);
    }

    /// Every URI that was read, in order.
    pub fn reads(&self) -> Vec<String> {
        self.reads.lock().expect("no test panics while holding the reads").clone()
    }

    fn script(&self, uri: &str) -> Option<Scripted> {
        self.reads.lock().expect("no test panics while holding the reads").push(uri.to_owned());
        self.scripts.lock().expect("no test panics while holding the scripts").get(uri).cloned()
    }
}

#[async_trait]
impl Resources for ScriptedResources {
    async fn read(&self, uri: &str, _within: Duration) -> Result<Vec<ResourceText>, ResourceError> {
        match self.script(uri) {
            Some(Scripted::Text(text)) => Ok(vec![ResourceText { text: Untrusted::new(text), mime_type: None }]),
            Some(Scripted::Parts(parts)) => Ok(parts),
            Some(Scripted::Fails(error)) => Err(error),
            Some(Scripted::WithOthers(barrier, text)) => {
                barrier.wait().await;
                Ok(vec![ResourceText { text: Untrusted::new(text), mime_type: None }])
            }
            None => Err(ResourceError::NoServer { scheme: uri.split(':').next().unwrap_or_default().to_owned() }),
        }
    }
}
