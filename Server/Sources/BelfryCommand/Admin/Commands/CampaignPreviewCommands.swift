import ArgumentParser
import BelfryAPI
import BelfryModel
import Foundation

// Commands that try a campaign before its launch (CAMP-4, CAMP-7).

struct CampaignPreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show a campaign as real recipients would see it. Nothing is sent."
    )

    @OptionGroup var target: CampaignTarget
    @Option(help: "A device to preview for. May be repeated, up to 20. (default: some devices of the audience)")
    var device: [String] = []
    @Option(help: "How many devices of the audience, 1 to 20. (default: 5)")
    var limit: Int?
    @Option(
        help: "Write the in-app message's page to this file, as the first of these devices would show it.",
        completion: .file(extensions: ["html"])
    )
    var html: String?

    func validate() throws {
        guard device.isEmpty || limit == nil else { throw ValidationError("Use --device or --limit, not both.") }
    }

    func run() async throws {
        let request = CampaignPreviewRequest(deviceIds: device.isEmpty ? nil : device, limit: limit)
        let answer: CampaignPreviewResponse = try await target.admin.withClient { client in
            try await client.call(CampaignPreviewRoutes.previewCampaign, target.app, target.id, body: request)
        }
        if let html { try PageFile(path: html).write(answer) }
        try target.admin.show(answer) { $0.text }
    }
}

struct CampaignDryRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Show who would get a campaign now, who would not, and why. Nothing is sent."
    )

    @OptionGroup var target: CampaignTarget

    func run() async throws {
        let answer: DryRunResponse = try await target.admin.withClient { client in
            try await client.call(CampaignPreviewRoutes.dryRunCampaign, target.app, target.id)
        }
        try target.admin.show(answer) { $0.text }
    }
}

struct CampaignTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a campaign to some devices now, regardless of its audience and schedule."
    )

    @OptionGroup var target: CampaignTarget
    @Option(help: "A device to send to. May be repeated, up to 20.")
    var device: [String]

    func run() async throws {
        let answer: TestSendResponse = try await target.admin.withClient { client in
            try await client.call(
                CampaignPreviewRoutes.testCampaign, target.app, target.id, body: TestSendRequest(deviceIds: device)
            )
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

/// A file for the page of a preview.
struct PageFile: Hashable, Sendable {
    let path: String

    func write(_ answer: CampaignPreviewResponse) throws(PageFileError) {
        guard let page = answer.previews.compactMap(\.html).first else {
            throw PageFileError(file: self, reason: .noPage(answer.previews.compactMap(\.problem).first))
        }
        do {
            try Data(page.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw PageFileError(file: self, reason: .notWritable)
        }
    }
}

/// Why no page was written, and what to do.
struct PageFileError: Error, CustomStringConvertible {
    enum Reason: Hashable, Sendable {
        /// There is no page; the value is what the server says about the recipient.
        case noPage(String?)
        case notWritable
    }

    let file: PageFile
    let reason: Reason

    var description: String {
        switch reason {
        case .noPage(let problem?): "There is no page for the file \(file.path) (--html). \(problem.printable)"
        case .noPage(nil):
            "There is no page for the file \(file.path) (--html): the campaign has no in-app message, or its audience "
                + "is empty."
        case .notWritable: "The file \(file.path) (--html) cannot be written. Check its folder and permissions."
        }
    }
}

extension CampaignPreviewResponse {
    fileprivate var text: String {
        let recipients = previews.isEmpty ? ["The audience is empty now."] : previews.map(\.table.text)
        return ((warnings ?? []).map { "Warning: \($0.printable)" } + recipients).joined(separator: "\n\n")
    }
}

extension CampaignPreviewResponse.Entry {
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

extension DryRunResponse {
    fileprivate var text: String {
        ((warnings ?? []).map { "Warning: \($0.printable)" } + [tables]).joined(separator: "\n\n")
    }

    private var tables: String {
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
