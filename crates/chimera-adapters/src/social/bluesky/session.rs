//! The session that an app password opens. One for as long as it lasts: Bluesky allows few logins.

use super::super::address::BLUESKY;
use super::super::api::{Api, Body, Call};
use super::super::config::Secret;
use super::super::errors::SocialError;
use super::super::posts::text_at;
use super::PASSWORD_NAME;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Mutex;
use zeroize::Zeroizing;

/// Who we are, and the tokens that say so.
pub(super) struct Session {
    pub did: String,
    access: Zeroizing<String>,
    refresh: Zeroizing<String>,
}

impl Session {
    pub(super) fn access(&self) -> &str {
        &self.access
    }
}

pub(super) struct Sessions {
    handle: String,
    app_password: Option<Secret>,
    /// Held while logging in, on purpose: those who wait must find the session, and not log in themselves.
    open: Mutex<Option<Arc<Session>>>,
}

impl Sessions {
    pub(super) fn new(handle: String, app_password: Option<Secret>) -> Self {
        Self { handle, app_password, open: Mutex::default() }
    }

    pub(super) async fn current(&self, api: &Api) -> Result<Arc<Session>, SocialError> {
        let mut open = self.open.lock().await;
        if let Some(session) = open.as_ref() {
            return Ok(session.clone());
        }
        let session = Arc::new(self.log_in(api).await?);
        *open = Some(session.clone());
        Ok(session)
    }

    /// A session other than `over`: somebody else's new one, a refreshed one, or a new login.
    pub(super) async fn renewed(&self, api: &Api, over: &Arc<Session>) -> Result<Arc<Session>, SocialError> {
        let mut open = self.open.lock().await;
        if let Some(session) = open.as_ref().filter(|session| !Arc::ptr_eq(session, over)) {
            return Ok(session.clone());
        }
        *open = None;
        let session = Arc::new(match refresh(api, over).await? {
            Some(session) => session,
            None => self.log_in(api).await?,
        });
        *open = Some(session.clone());
        Ok(session)
    }

    async fn log_in(&self, api: &Api) -> Result<Session, SocialError> {
        let missing = || {
            SocialError::NotConfigured(format!("{PASSWORD_NAME} is not set; list it, or {PASSWORD_NAME}_FILE, under the upstream's env"))
        };
        let password = self.app_password.as_ref().ok_or_else(missing)?;
        let input = json!({ "identifier": self.handle, "password": password.expose() });
        let path = ["xrpc", "com.atproto.server.createSession"];
        let answer = api.ask(Call::post(&path, Body::Json(input), "login")).await?;
        opened(&api.accepted(answer, PASSWORD_NAME)?)
    }
}

/// `None` when the refresh token is over as well.
async fn refresh(api: &Api, over: &Session) -> Result<Option<Session>, SocialError> {
    let path = ["xrpc", "com.atproto.server.refreshSession"];
    let answer = api.ask(Call::post(&path, Body::None, "login").bearer(Some(&over.refresh))).await?;
    if answer.status.is_client_error() { Ok(None) } else { opened(&api.accepted(answer, PASSWORD_NAME)?).map(Some) }
}

fn opened(answer: &Value) -> Result<Session, SocialError> {
    let text = |name| text_at(answer, name).ok_or(SocialError::Unexpected { platform: BLUESKY });
    Ok(Session { did: text("/did")?, access: Zeroizing::new(text("/accessJwt")?), refresh: Zeroizing::new(text("/refreshJwt")?) })
}
