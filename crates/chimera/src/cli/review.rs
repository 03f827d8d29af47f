//! `chimera review`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum ReviewCommand {
    /// List what waits for a person, oldest first
    #[command(after_help = "Example:\n  chimera review list --json | jq '.reviews[].review_id'")]
    List,
    /// Show one review with everything needed to decide
    #[command(
        after_help = "Example:\n  chimera review show 0b5c\n\nOf a review that waits, the beginning of its id is enough where no other begins so."
    )]
    Show { id: String },
    /// Show how often people said what the Judge leaned to, agent by agent, and the thresholds that this suggests
    #[command(after_help = "Example:\n  chimera review agreement --json | jq '.agents[] | {agent_id, agreement}'")]
    Agreement,
    /// Approve it: content is published; a transfer is made at once, exactly that one, once, within 24 hours; stuck work is tried again
    #[command(after_help = "Example:\n  chimera review approve 0b5c2c6e --reviewer hanna --reason 'invoice 12 checked'")]
    Approve {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
        /// The recipient's whole address, typed again: for a transfer whose recipient looks like a known payee
        #[arg(long, value_name = "ADDRESS")]
        confirm_address: Option<String>,
    },
    /// Reject it: content is written anew as the reason asks; a transfer is never made; stuck work is given up; a post that may be there is left
    #[command(
        after_help = "Examples:\n  chimera review reject 0b5c2c6e --reviewer hanna --reason 'shorter, and no hashtags'\n  chimera review reject 0b5c2c6e --reviewer hanna --give-up\n\nThe next draft heeds the reason: a language model reads all of it; the embedded writer understands shorter, longer,\nanother source, another angle, not this story, no question, no hashtags, no link, no stock phrases, a language (\"in Spanish\"),\nand words in quotes to leave out or to mention. What it did not understand stands in the draft's trace."
    )]
    Reject {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
        /// No further draft is wanted
        #[arg(long)]
        give_up: bool,
    },
    /// Say that a post which may be there is there: it is on record as published, and never sent again
    #[command(after_help = "Example:\n  chimera review published 0b5c2c6e --reviewer hanna --url https://social.example/@selam/17")]
    Published {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
        /// Where it is, if you have it
        #[arg(long, value_name = "URL")]
        url: Option<String>,
    },
    /// Say that a post which may be there is not there: it is sent once more
    #[command(after_help = "Example:\n  chimera review resend 0b5c2c6e --reviewer hanna --reason 'the profile has nothing of today'")]
    Resend {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
    },
    /// Take the approval of a payment back before it is used: the payment is never made
    #[command(after_help = "Example:\n  chimera review revoke 0b5c2c6e --reviewer hanna --reason 'a wrong invoice'")]
    Revoke {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
    },
    /// Publish an edited text instead; the agent remembers what was changed
    #[command(after_help = "Example:\n  chimera review edit 0b5c2c6e --reviewer hanna --artifact better.txt")]
    Edit {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
        /// The text as it shall be, or an artifact's JSON
        #[arg(long, value_name = "FILE")]
        artifact: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct AnswerFlags {
    /// Who decides, for the record [default: CHIMERA_REVIEWER]
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}
