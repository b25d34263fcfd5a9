import ArgumentParser
import BelfryModel
import BelfryWire

/// What a campaign is tried with before its launch (CAMP-4, CAMP-7).
extension CampaignCommand {
    struct Preview: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a campaign as real recipients would see it; nothing is sent."
        )

        @OptionGroup var target: Target
        @Option(help: "As this device would see it. May be repeated, up to 20. (default: some of the audience)")
        var device: [String] = []
        @Option(help: "How many of the audience, 1 to 20. (default: 5)")
        var limit: Int?
        @Option(
            help: "Write the page of an in-app message to this file, as the first of them would see it.",
            completion: .file(extensions: ["html"])
        )
        var html: String?

        func validate() throws {
            guard device.isEmpty || limit == nil else { throw ValidationError("Give --device or --limit, not both.") }
        }

        func run() async throws {
            let request = CampaignPreviewRequest(deviceIds: device.isEmpty ? nil : device, limit: limit)
            let answer: CampaignPreviewAnswer = try await target.admin.withClient { client in
                try await client.send(.post, "\(target.path)/preview", request)
            }
            if let html { try PageFile(path: html).write(answer) }
            try target.admin.show(answer) { $0.text }
        }
    }

    struct DryRun: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say who would get a campaign now, and who not, by reason; nothing is sent."
        )

        @OptionGroup var target: Target

        func run() async throws {
            let answer: DryRunAnswer = try await target.admin.withClient { client in
                try await client.send(.post, "\(target.path)/dry-run", String?.none)
            }
            try target.admin.show(answer) { $0.text }
        }
    }

    struct TestSend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a campaign to some devices at once, whatever its audience and schedule."
        )

        @OptionGroup var target: Target
        @Option(help: "To this device. May be repeated, up to 20.")
        var device: [String]

        func run() async throws {
            let answer: TestSendAnswer = try await target.admin.withClient { client in
                try await client.send(.post, "\(target.path)/test", TestSendRequest(deviceIds: device))
            }
            try target.admin.show(answer) { answer in
                var table = TextTable("DEVICE", "STATE", "REASON", "IN WORDS")
                for result in answer.results {
                    table.add(result.deviceId, result.state.rawValue, result.reason ?? "", result.sentence)
                }
                return table.text
            }
        }
    }
}

extension CampaignPreviewAnswer {
    fileprivate var text: String {
        previews.isEmpty
            ? "Nobody is in the audience now." : previews.map(\.table.text).joined(separator: "\n\n")
    }
}

extension CampaignPreviewAnswer.Entry {
    fileprivate var table: TextTable {
        let buttons = buttons?.map { button in
            "\(button.id): \(button.text)" + (button.action.map { " (\($0.text))" } ?? "")
        }
        return TextTable.properties([
            (name: "device", value: deviceId),
            (name: "locale", value: locale),
            (name: "variant", value: variant),
            (name: "title", value: title),
            (name: "subtitle", value: subtitle),
            (name: "body", value: body),
            (name: "image", value: imageUrl),
            (name: "action", value: action?.text),
            (name: "buttons", value: buttons?.joined(separator: ", ")),
            (name: "custom", value: custom?.text),
            (name: "badge", value: badge.map { $0.op.rawValue + ($0.value.map { " \($0)" } ?? "") }),
            (name: "message center", value: messageCenter?.center),
            (name: "subject", value: messageCenter?.subject),
            (name: "message", value: messageCenter?.message),
            (name: "icon", value: messageCenter?.iconUrl),
            (name: "deep link", value: messageCenter?.deeplinkUrl),
            (name: "rich page", value: messageCenter?.richUrl),
            (name: "rich HTML", value: messageCenter?.richHtml.map { "\($0.utf8.count) bytes" }),
            (name: "message's custom", value: messageCenter?.custom?.text),
            (name: "expires", value: messageCenter?.expiresAt.map(Timestamp.text)),
            (name: "title in the app", value: inApp?.title),
            (name: "body in the app", value: inApp?.body),
            (name: "image in the app", value: inApp?.imageUrl),
            (name: "buttons in the app", value: inAppButtons),
            (name: "actions in the app", value: inApp?.actions?.map(\.text).joined(separator: ", ")),
            (name: "page", value: html.map { "\($0.utf8.count) bytes" }),
            (name: "problem", value: problem),
        ])
    }

    private var inAppButtons: String? {
        inApp?.buttons?.map { "\($0.id): \($0.text) (\($0.action.text))" }.joined(separator: ", ")
    }
}

extension InAppAction {
    fileprivate var text: String { ([type.rawValue] + [url, name].compactMap(\.self)).joined(separator: " ") }
}

extension NotificationAction {
    fileprivate var text: String { type.rawValue + (url.map { " \($0)" } ?? "") }
}

extension DryRunAnswer {
    fileprivate var text: String {
        var figures = TextTable("FIGURE", "DEVICES")
        figures.add("audience", "\(audience)")
        figures.add("would get it now", "\(wouldSend)")
        figures.add("would get it later", "\(later)")
        for (reason, count) in suppressed.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            figures.add("suppressed, \(reason)", "\(count)")
        }
        guard !samples.isEmpty else { return figures.text }
        var devices = TextTable("DEVICE", "OUTCOME", "REASON", "TIME")
        for sample in samples {
            devices.add(sample.deviceId, sample.outcome, sample.reason ?? "", sample.at ?? "")
        }
        return "\(figures.text)\n\nSome of them:\n\n\(devices.text)"
    }
}
