//! The host against real child processes and real HTTP servers that misbehave on demand.

mod configuration;
mod http_servers;
mod real_servers;
mod stdio_servers;
mod test_server;
