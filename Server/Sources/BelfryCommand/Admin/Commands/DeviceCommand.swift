import ArgumentParser
import BelfryAPI

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Find a device, show it with its events and messages, or revoke its tokens.",
        subcommands: [List.self, Show.self, Events.self, Messages.self, Revoke.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a device: its contact, its eligibility for push, and rejected fields of its registration."
        )

        @OptionGroup var target: DeviceTarget
        @Option(help: "Which of several installations with this id, by its number.")
        var installation: Int64?

        func run() async throws {
            let query = installation.map { "installation=\($0)" } ?? ""
            let answer: DeviceResponse = try await target.admin.withClient { client in
                try await client.call(DeviceRoutes.readDevice, target.app, target.id, query: query)
            }
            try target.admin.show(answer) { $0.text }
        }
    }

    struct Events: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List a device's events, newest first.")

        @OptionGroup var target: DeviceTarget
        @OptionGroup var list: ListOptions
        @Option(help: "Only events with this name.")
        var name: String?
        @Option(help: "Only events from this time on, in ISO 8601 with an offset: 2026-11-21T12:00:00Z.")
        var from: String?
        @Option(help: "Only events before this time.")
        var to: String?
        @Option(
            help: ArgumentHelp(
                "Only events whose attribute has this value. May be repeated; then all must match.",
                valueName: "name=value"
            )
        )
        var attribute: [String] = []

        func validate() throws {
            _ = try filter()
        }

        func run() async throws {
            let filter = try filter()
            let found: DeviceEventsResponse = try await target.admin.withClient { client in
                try await list.collect(\.events, \.cursor, pagesOf: DeviceRoutes.pageOfEvents) { query in
                    try await client.call(
                        DeviceRoutes.listDeviceEvents, target.app, target.id, query: filter + query
                    )
                }
            }
            try target.admin.show(found) { answer in
                var table = TextTable("TIME", "NAME", "ATTRIBUTES", "ID")
                for event in answer.events {
                    table.add(
                        event.correctedTimestamp ?? event.timestamp, event.name, event.attributes.text, event.id
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }

        /// The search options as the beginning of a query, with an ampersand after each part.
        private func filter() throws -> String {
            var parts = [("name", name), ("from", from), ("to", to)]
                .compactMap { key, value in value.map { "\(key)=\($0.pathSegment)" } }
            for text in attribute {
                let pair = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                    .map { String(Substring($0)) }
                guard pair.count == 2, !pair[0].isEmpty else {
                    throw ValidationError("--attribute must be NAME=VALUE, as in city=Paris, not '\(text.printable)'.")
                }
                parts.append("attribute.\(pair[0].pathSegment)=\(pair[1].pathSegment)")
            }
            return parts.map { "\($0)&" }.joined()
        }
    }
}

extension EligibilityResponse {
    fileprivate var text: String { eligible ? "eligible" : "not eligible" + (reason.map { ": \($0)" } ?? "") }
}

extension DeviceResponse {
    fileprivate var text: String {
        var tables = [properties]
        if let rejections { tables.append(rejections) }
        return tables.map(\.text).joined(separator: "\n\n")
    }

    private var properties: TextTable {
        let owner = contactKey ?? "none yet"
        let token = pushToken ?? pushTokenMovedAt.map { "none: another device registered it at \($0)" } ?? "none"
        let optedOut = optOut.map { "\($0.reason.rawValue), since \($0.at)" }
        let revision = self.revision.map { "\($0)" }
        let registered = registration.map { "\($0.status.rawValue), at \($0.processedAt)" }
        return TextTable.properties([
            (name: "device", value: deviceId),
            (name: "contact", value: owner),
            (name: "push", value: push.text),
            (name: "in-app", value: inApp.text),
            (name: "opt-out", value: optedOut),
            (name: "push token", value: token),
            (name: "push service", value: pushProvider?.rawValue),
            (name: "push environment", value: pushEnvironment?.rawValue),
            (name: "push enabled in app", value: pushEnabled?.yesOrNo),
            (name: "push allowed by system", value: osPushEnabled?.yesOrNo),
            (name: "badge", value: "\(badge.count)"),
            (name: "platform", value: system.platform),
            (name: "OS version", value: system.osVersion),
            (name: "model", value: system.deviceModel),
            (name: "app version", value: system.appVersion),
            (name: "SDK version", value: system.sdkVersion),
            (name: "v3 client", value: v3Client),
            (name: "locale", value: system.locale),
            (name: "time zone", value: system.timeZone),
            (name: "revision", value: revision),
            (name: "registration", value: registered),
            (name: "last opened", value: lastOpenedAt),
            (name: "created", value: createdAt),
            (name: "updated", value: updatedAt),
            (name: "installation", value: installation),
            (name: "others with this id", value: others),
        ])
    }

    /// The other installations with the same device id, by their numbers.
    private var others: String? {
        otherInstallations?.map { other in
            other.installation + (other.contactKey.map { " (\($0))" } ?? "")
        }.joined(separator: ", ")
    }

    /// The parts of the newest registration that the server rejected; nil when it accepted everything.
    private var rejections: TextTable? {
        guard let rejected = registration?.rejected, !rejected.isEmpty else { return nil }
        var table = TextTable("REJECTED", "REASON", "IN WORDS")
        for field in rejected { table.add(field.field, field.reason, field.message) }
        return table
    }
}
