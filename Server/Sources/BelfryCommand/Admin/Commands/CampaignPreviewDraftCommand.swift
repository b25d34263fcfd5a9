import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation

/// Shows what a campaign would say to one person before it is saved (CON-5).
struct CampaignPreviewDraftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview-draft",
        abstract: "Preview a campaign for one person, before it is created. Nothing is saved or sent.",
        discussion: """
            For a contact, or for an invented person who has every value that the texts use. The campaign is not \
            checked: why a text cannot be rendered is printed.
            """
    )

    @OptionGroup var admin: AdminOptions
    @OptionGroup var draft: DraftOptions
    @Argument(help: "The app's code.")
    var app: String
    @Option(help: "The contact whose values are used. (default: an invented person)")
    var contact: String?
    @Option(help: "A value of the invented person, as NAME=VALUE. May be repeated.")
    var value: [String] = []
    @Option(help: "The language to show. (default: the person's)")
    var locale: String?

    func validate() throws {
        guard contact == nil || value.isEmpty else { throw ValidationError("Use --contact or --value, not both.") }
        guard value.allSatisfy({ Self.pair($0) != nil }) else { throw ValidationError("Write --value as NAME=VALUE.") }
    }

    func run() async throws {
        let body = try body()
        let answer: DraftPreviewResponse = try await admin.withClient { client in
            try await client.call(ComposingRoutes.previewDraft, app, json: body)
        }
        try admin.show(answer) { try $0.text() }
    }

    /// The request body; the campaign is sent exactly as it was written.
    private func body() throws -> Data {
        let encoder = JSONEncoder()
        var text = JSONWriter()
        text.literal("{")
        text.key("campaign")
        text.raw(try draft.json())
        let values = Dictionary(value.compactMap(Self.pair)) { _, last in last }
        if !values.isEmpty {
            text.literal(",")
            text.key("values")
            text.raw(try encoder.encode(values))
        }
        let names: [(name: StaticString, value: String?)] = [("contactKey", contact), ("locale", locale)]
        for (name, value) in names {
            guard let value else { continue }
            text.literal(",")
            text.key(name)
            text.string(value)
        }
        text.literal("}")
        return Data(text.bytes)
    }

    private static func pair(_ text: String) -> (String, String)? {
        guard let place = text.utf8.firstIndex(of: UInt8(ascii: "=")), place > text.startIndex else { return nil }
        return (String(text[..<place]), String(text[text.utf8.index(after: place)...]))
    }
}

extension DraftPreviewResponse {
    fileprivate func text() throws -> String {
        var table = try CampaignContent.table(push: push, messageCenter: messageCenter, inApp: inApp)
        if let variant { table.add("variant", variant) }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { table.add("value of \(name)", value) }
        if !missing.isEmpty { table.add("missing", missing.joined(separator: ", ")) }
        if let problem { table.add("problem", problem) }
        return table.text
    }
}
