import ArgumentParser
import BelfryWire

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Look at a device, at what it sent and at what it was sent.",
        subcommands: [Show.self, Events.self, Messages.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a device: whose it is, whether it may be sent to, and what the server rejected."
        )

        @OptionGroup var target: DeviceTarget

        func run() async throws {
            let answer: DeviceAnswer = try await target.admin.withClient { client in
                try await client.get(target.path)
            }
            try target.admin.show(answer) { $0.text }
        }
    }

    struct Events: AsyncParsableCommand {
        /// The most that the server gives at once.
        private static let pageSize = 1_000

        static let configuration = CommandConfiguration(abstract: "List a device's events, newest first.")

        @OptionGroup var target: DeviceTarget
        @OptionGroup var list: ListOptions
        @Option(help: "Only events of this name.")
        var name: String?
        @Option(help: "Only events from this moment on, in ISO 8601 with a zone: 2026-11-21T12:00:00Z.")
        var from: String?
        @Option(help: "Only events before this moment.")
        var to: String?
        @Option(
            help: ArgumentHelp(
                "Only events whose attribute has this value. May be repeated; then all must hold.",
                valueName: "name=value"
            )
        )
        var attribute: [String] = []

        func validate() throws {
            _ = try filter()
        }

        func run() async throws {
            let address = "\(target.path)/events?\(try filter())"
            let found = try await target.admin.withClient { client in
                try await list.collect(pagesOf: Self.pageSize) { query -> ListPage<DeviceEventsAnswer.Entry> in
                    let page: DeviceEventsAnswer = try await client.get(address + query)
                    return ListPage(entries: page.events, cursor: page.cursor)
                }
            }
            try target.admin.show(DeviceEventsAnswer(events: found.entries, cursor: found.cursor)) { answer in
                var table = TextTable("TIME", "NAME", "ATTRIBUTES", "ID")
                for event in answer.events {
                    table.add(
                        event.correctedTimestamp ?? event.timestamp, event.name, event.attributes.text, event.id
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }

        /// As a query, with an ampersand behind each part.
        private func filter() throws -> String {
            var parts = [("name", name), ("from", from), ("to", to)]
                .compactMap { key, value in value.map { "\(key)=\($0.pathSegment)" } }
            for text in attribute {
                let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard pair.count == 2, !pair[0].isEmpty else {
                    throw ValidationError("--attribute is NAME=VALUE, as city=Paris, not '\(text.printable)'.")
                }
                parts.append("attribute.\(pair[0].pathSegment)=\(pair[1].pathSegment)")
            }
            return parts.map { "\($0)&" }.joined()
        }
    }
}

/// One device of one app.
struct DeviceTarget: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "The device's id.")
    var id: String

    func validate() throws {
        guard !id.isEmpty else { throw ValidationError("The device's id is empty.") }
    }

    var path: String { "/api/v1/apps/\(app.pathSegment)/devices/\(id.pathSegment)" }
}

extension EligibilityAnswer {
    fileprivate var text: String { eligible ? "eligible" : "not eligible" + (reason.map { ": \($0)" } ?? "") }
}

extension DeviceAnswer {
    fileprivate var text: String {
        var tables = [properties]
        if let rejections { tables.append(rejections) }
        return tables.map(\.text).joined(separator: "\n\n")
    }

    private var properties: TextTable {
        let owner = contactKey ?? "none yet"
        let token = pushToken ?? "none"
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
            (name: "app's switch", value: pushEnabled?.yesOrNo),
            (name: "system's answer", value: osPushEnabled?.yesOrNo),
            (name: "badge", value: "\(badge.count)"),
            (name: "platform", value: system.platform),
            (name: "OS version", value: system.osVersion),
            (name: "model", value: system.deviceModel),
            (name: "app version", value: system.appVersion),
            (name: "SDK version", value: system.sdkVersion),
            (name: "locale", value: system.locale),
            (name: "time zone", value: system.timeZone),
            (name: "revision", value: revision),
            (name: "registration", value: registered),
            (name: "last opened", value: lastOpenedAt),
            (name: "created", value: createdAt),
            (name: "updated", value: updatedAt),
        ])
    }

    /// What the server did not take of the newest registration; nil when it took all.
    private var rejections: TextTable? {
        guard let rejected = registration?.rejected, !rejected.isEmpty else { return nil }
        var table = TextTable("REJECTED", "REASON", "IN WORDS")
        for field in rejected { table.add(field.field, field.reason, field.message) }
        return table
    }
}
