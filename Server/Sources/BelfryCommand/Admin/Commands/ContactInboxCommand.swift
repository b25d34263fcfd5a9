import ArgumentParser
import BelfryAPI

/// Shows a contact's message centers as the contact sees them (CON-8).
struct ContactInboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Show what a contact sees in the message centers, and the badges of its devices."
    )

    @OptionGroup var target: ContactTarget

    func run() async throws {
        let answer: ContactInboxResponse = try await target.admin.withClient { client in
            try await client.call(ComposingRoutes.readContactInbox, target.app, target.key)
        }
        try target.admin.show(answer) { $0.text }
    }
}

extension ContactInboxResponse {
    fileprivate var text: String {
        var table = TextTable("CENTER", "CAMPAIGN", "SENT", "EXPIRES", "STATE", "SUBJECT")
        for center in centers {
            let name = center.center + (center.enabled ? "" : " (disabled)")
            if center.messages.isEmpty { table.add(name, "", "", "", "", "no messages") }
            for message in center.messages {
                table.add(
                    name, message.campaign, message.sentAt, message.expiresAt ?? "", message.state.rawValue,
                    message.subject
                )
            }
        }
        if hasMore { table.add("…", "", "", "", "", "more messages than are shown") }
        guard !badges.isEmpty else { return table.text }
        var badges = TextTable("DEVICE", "PLATFORM", "BADGE")
        for badge in self.badges { badges.add(badge.deviceId, badge.platform ?? "", "\(badge.count)") }
        return "\(table.text)\n\n\(badges.text)"
    }
}
