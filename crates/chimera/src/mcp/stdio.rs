//! One client over standard input and output, one JSON-RPC message on each line. Nothing else is ever written there.

use super::server::ChimeraServer;
use rmcp::{
    ErrorData, RoleServer, ServiceExt,
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::Mutex,
};
use tokio_util::sync::CancellationToken;

/// The longest line that is read as a message.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Until the client closes its end or `shutdown` is cancelled.
pub async fn serve_stdio(server: ChimeraServer, shutdown: CancellationToken) -> io::Result<()> {
    let (input, output) = rmcp::transport::stdio_pipes();
    serve_lines(server, input, output, shutdown).await
}

/// [`serve_stdio`] over any pair of streams.
pub async fn serve_lines<S: rmcp::ServerHandler>(
    server: S,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    shutdown: CancellationToken,
) -> io::Result<()> {
    use rmcp::service::{QuitReason, ServerInitializeError as Start};
    let running = match server.serve_with_ct(Lines::new(input, output), shutdown).await {
        Ok(running) => running,
        // The client left, or we were told to stop, before anything began.
        Err(Start::ConnectionClosed(_) | Start::Cancelled) => return Ok(()),
        Err(error) => return Err(io::Error::other(error)),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(io::Error::other(error)),
        Ok(_) => Ok(()),
    }
}

/// Like rmcp's own line transport, but a line that is no message is answered, not swallowed: a client that sent one would
/// otherwise wait for ever. Nor does a notification before the first request end the connection.
struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that was too long, up to its end.
    skipping: bool,
    started: bool,
    output: Arc<Mutex<W>>,
}

enum Line {
    Whole,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    fn new(input: R, output: W) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), skipping: false, started: false, output: Arc::new(Mutex::new(output)) }
    }

    /// Loses nothing when it is dropped half-way: what was read stays in `line`.
    async fn next_line(&mut self) -> io::Result<Line> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(Line::End);
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let fits = self.line.len() + taken <= LINE_BYTES_MAX;
            if !self.skipping && fits {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if !fits && !self.skipping {
                self.line.clear();
                self.skipping = newline.is_none();
                return Ok(Line::TooLong);
            }
            if newline.is_some() && !std::mem::take(&mut self.skipping) {
                return Ok(Line::Whole);
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move { write_line(&output, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let refusal = match self.next_line().await {
                Ok(Line::Whole) => {
                    let line = std::mem::take(&mut self.line);
                    match read_message(line.trim_ascii()) {
                        Ok(None) => continue,
                        // Only a request can begin a connection.
                        Ok(Some(message)) if self.started || matches!(message, JsonRpcMessage::Request(_)) => {
                            self.started = true;
                            return Some(message);
                        }
                        Ok(Some(_)) => continue,
                        Err(error) => error,
                    }
                }
                Ok(Line::TooLong) => ErrorData::invalid_request(format!("a message has at most {LINE_BYTES_MAX} bytes"), None),
                Ok(Line::End) => return None,
                Err(error) => {
                    tracing::error!(%error, "standard input cannot be read");
                    return None;
                }
            };
            tracing::warn!(code = refusal.code.0, "a line that is no message was refused: {}", refusal.message);
            write_line(&self.output, &ServerJsonRpcMessage::error(refusal, None)).await.ok()?;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

/// `None` for an empty line.
fn read_message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, ErrorData> {
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(line).map(Some).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => {
            ErrorData::invalid_request("the line is JSON but no JSON-RPC message: it needs jsonrpc \"2.0\" and a method", None)
        }
        _ => ErrorData::parse_error(format!("the line is not JSON: {error}"), None),
    })
}

async fn write_line<W: AsyncWrite + Unpin>(output: &Mutex<W>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
