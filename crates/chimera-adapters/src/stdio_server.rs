//! One session of an MCP server over standard input and output, as its host starts it.

use rmcp::{
    ServerHandler, ServiceExt,
    service::ServerInitializeError::{self, Cancelled, ConnectionClosed},
};
use tokio_util::sync::CancellationToken;

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("the MCP session could not be opened; this command speaks MCP over standard input and output, to an MCP host")]
    Handshake(#[source] Box<ServerInitializeError>),
    #[error("the MCP session ended abnormally")]
    Session(#[from] tokio::task::JoinError),
}

/// Until the host hangs up or `cancel` fires. Nothing but protocol reaches standard output.
pub async fn serve(server: impl ServerHandler, cancel: CancellationToken) -> Result<(), SessionError> {
    let serving = tokio::select! {
        // A host that goes away before the handshake, as a child's parent may, is no failure of ours.
        opened = server.serve_with_ct(rmcp::transport::io::stdio_pipes(), cancel.clone()) => match opened {
            Ok(serving) => serving,
            Err(ConnectionClosed(_) | Cancelled) => return Ok(()),
            Err(error) => return Err(SessionError::Handshake(Box::new(error))),
        },
        () = cancel.cancelled() => return Ok(()),
    };
    serving.waiting().await?;
    Ok(())
}
