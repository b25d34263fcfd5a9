import BelfryAPI
import BelfryModel
import BelfryServerModel

extension CampaignResponse {
    /// The campaign's status, as a sentence and in figures.
    var text: String {
        var table = TextTable("FIGURE", "DEVICES")
        table.add("audience", "\(counts.audience)")
        table.add("pending", "\(counts.pending)")
        table.add("accepted", "\(counts.accepted)")
        table.add("suppressed", "\(counts.suppressed)")
        table.add("rejected", "\(counts.rejected)")
        table.add("cancelled", "\(counts.cancelled)")
        table.add("displayed", "\(counts.displayed)")
        table.add("opened", "\(counts.opened)")
        if let message = messageCenterCounts {
            table.add("displayed in the center", "\(message.displayedBy)")
            table.add("opened in the center", "\(message.openedBy)")
        }
        if let message = inAppCounts {
            table.add("displayed in the app", "\(message.displayedBy)")
            table.add("clicked in the app", "\(message.clickedBy)")
        }
        var lines = ["Campaign \(id) '\(name.printable)' is \(status.rawValue)."]
        if status == .scheduled, let scheduledAt { lines.append("It starts at \(scheduledAt).") }
        if let statusReason { lines.append(statusReason.printable) }
        if let message = messageCenterCounts {
            lines.append("Its message was displayed \(message.displays) times and opened \(message.opens) times.")
        }
        lines += inAppLines
        return (lines + ["", table.text]).joined(separator: "\n")
    }

    private var inAppLines: [String] {
        var lines: [String] = []
        if let deletedAt { lines.append("It was deleted at \(deletedAt).") }
        if let recalledAt { lines.append("Its messages were recalled at \(recalledAt).") }
        guard let message = inAppCounts else { return lines }
        lines.append(
            """
            Its message (version \(inAppVersion ?? 1)) was displayed \(message.displays) times, clicked \
            \(message.clicks) times and dismissed \(message.dismissals) times.
            """
        )
        let clicks = message.clicksByButton.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !clicks.isEmpty {
            lines.append("Clicks: " + clicks.map { "\($0.key.printable) \($0.value)" }.joined(separator: ", ") + ".")
        }
        let reasons = message.notShown.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !reasons.isEmpty {
            let texts = reasons.map { "\($0.key.printable) \($0.value)" }
            lines.append("Not shown: " + texts.joined(separator: ", ") + ".")
        }
        return lines
    }
}
