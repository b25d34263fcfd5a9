import BelfryServices
import Foundation

/// The server's state in sentences.
enum ServerWords {
    static func readiness(_ state: Readiness.State) -> (sentence: String, chip: StatusChip) {
        switch state {
        case .ready:
            ("The server takes requests and writes.", StatusChip(word: "Ready", tone: "good"))
        case .databaseGone:
            (
                "The database does not respond. Check that it runs and can be reached. Then the server continues.",
                StatusChip(word: "No database", tone: "bad")
            )
        case .readOnly:
            (
                "The database takes no writes. Devices keep their data and send it later. Check its log.",
                StatusChip(word: "Read only", tone: "bad")
            )
        case .noRoom:
            (
                "The disk is full, or below its floor. Requests that make the store grow are rejected until there is room.",
                StatusChip(word: "Disk full", tone: "bad")
            )
        case .newerSchema:
            (
                "A newer program has changed the database. Start that program here, too.",
                StatusChip(word: "Old program", tone: "bad")
            )
        }
    }

    /// The length of a queue: `none`, `12, the oldest for 5 minutes`, `10,000 or more`.
    static func queue(_ length: WorkQueues.Length, now: Date) -> String {
        guard length.count > 0 else { return "none" }
        let count =
            length.count >= WorkQueues.maximumCount
            ? "\(Figures.count(WorkQueues.maximumCount)) or more" : Figures.count(length.count)
        guard let oldest = length.oldest else { return count }
        return "\(count), the oldest for \(duration(max(now.timeIntervalSince(oldest), 0)))"
    }

    /// Whether the oldest item has waited for more than 5 minutes. A healthy queue is emptied within about a minute.
    static func isLate(_ length: WorkQueues.Length, now: Date) -> Bool {
        length.oldest.map { now.timeIntervalSince($0) > 300 } ?? false
    }

    static func duration(_ seconds: TimeInterval) -> String {
        switch Int(seconds) {
        case ..<90: Figures.count(Int(seconds), "second", "seconds")
        case ..<5_400: Figures.count(Int(seconds) / 60, "minute", "minutes")
        case ..<129_600: Figures.count(Int(seconds) / 3_600, "hour", "hours")
        default: Figures.count(Int(seconds) / 86_400, "day", "days")
        }
    }

    /// `830 KB`, `1.4 GB`, in powers of ten, as disks are sold.
    static func bytes(_ bytes: Int64) -> String {
        let units = ["bytes", "KB", "MB", "GB", "TB", "PB"]
        var (value, unit) = (Double(max(bytes, 0)), 0)
        while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
        let text = value < 10 && unit > 0 ? String((value * 10).rounded() / 10) : Figures.count(Int(value.rounded()))
        return "\(text) \(units[unit])"
    }

    /// The reason why the server closed connections, in words for a counter's name.
    static func connectionEnd(_ cause: String) -> String {
        switch cause {
        case "address": "an address had too many"
        case "bodies": "incomplete requests used too much memory"
        case "unread": "a client did not read its responses"
        default: cause
        }
    }

    static func limit(_ limit: String) -> String {
        switch limit {
        case "device": "calls of one device"
        case "strangers": "calls without a token from one address"
        case "openIDTokens": "invalid tokens from one address"
        case "newDevices": "new devices from one address"
        case "adminKey": "calls with one admin key or of one person"
        case "signIn": "attempts to sign in"
        case "trials": "previews, counts and other long requests at once"
        case "livePages": "live pages of the console"
        default: limit
        }
    }
}
