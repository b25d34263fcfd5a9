import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation

/// What a campaign shows inside the app, on the command line (IAM-1, IAM-12).
struct InAppOptions: ParsableArguments {
    /// What a message waits for that names no event.
    static let standardTrigger = EventName.sessionStart.rawValue
    /// The id of the one button that options make.
    static let buttonID = "open"

    @Option(
        help: "Show it in the app: a file with the message in JSON as the admin API takes it; '-' is standard input.",
        completion: .file()
    )
    var inApp: String?

    @Option(
        help: ArgumentHelp(
            "Show it in the app, of the title and the body.", valueName: "modal|full|bannerTop|bannerBottom|fullImage"
        ),
        transform: { try InAppType(argument: $0) }
    )
    var type: InAppType?

    @Option(help: "Show it in the app when this event happens. (default: \(standardTrigger))")
    var trigger: String?

    @Option(help: "The https address of its image in the app.")
    var image: String?

    @Option(help: "What its button in the app says, which opens --url. (default: a tap on the message does)")
    var button: String?

    @Option(help: "Show it in the app from this moment on; written as for --at.")
    var startsAt: String?

    @Option(help: "Show it in the app until this moment; written as for --at.")
    var endsAt: String?

    @Option(help: "Show it in the app so many times to a person on one device. (default: 1)")
    var displayLimit: Int?

    @Flag(help: "With an edit of a launched message: count anew how often it was shown.")
    var resetDisplays = false

    func validate() throws {
        guard inApp == nil || isComposedOfNothing else {
            throw ValidationError("Give --in-app or single options of a message, not both.")
        }
    }

    /// Whether nothing is said of it.
    var isEmpty: Bool { inApp == nil && isComposedOfNothing && !resetDisplays }

    private var isComposedOfNothing: Bool {
        type == nil && displayLimit == nil && [trigger, image, button, startsAt, endsAt].allSatisfy { $0 == nil }
    }

    /// The message as JSON: a file's as it was written, or that of the options.
    ///
    /// - Parameters: what the other options say.
    func json(title: String?, body: String?, url: String?) throws -> Data {
        guard let inApp else { return try JSONEncoder().encode(request(title: title, body: body, url: url)) }
        let json = try InputFile(inApp, option: "--in-app").json()
        guard resetDisplays else { return json }
        return try Self.resetting(json)
    }

    private func request(title: String?, body: String?, url: String?) throws -> InAppContentRequest {
        guard title != nil || body != nil || image != nil else {
            throw ValidationError("Give --title, --body or --image, or the message with --in-app.")
        }
        guard button == nil || url != nil else {
            throw ValidationError("Say with --url what the button opens.")
        }
        let action = url.map { InAppAction(type: .openUrl, url: $0) }
        let button = button.flatMap { text in
            action.map { InAppButton(id: Self.buttonID, text: text, action: $0) }
        }
        return InAppContentRequest(
            type: type ?? .modal, trigger: InAppTrigger(event: trigger ?? Self.standardTrigger), startsAt: startsAt,
            endsAt: endsAt, displayLimit: displayLimit,
            content: InAppContent(
                title: title, body: body, imageUrl: image, buttons: button.map { [$0] },
                action: button == nil ? action : nil
            ),
            resetDisplays: resetDisplays ? true : nil
        )
    }

    /// Puts the word in front of what a person wrote, which goes out as it is.
    private static func resetting(_ json: Data) throws -> Data {
        let text = String(decoding: json, as: UTF8.self)
        guard let brace = text.firstIndex(where: { !$0.isWhitespace }), text[brace] == "{" else {
            throw ValidationError("--in-app: a message is a JSON object.")
        }
        let rest = text[text.index(after: brace)...]
        let isEmpty = rest.first { !$0.isWhitespace } == "}"
        return Data((#"{"resetDisplays":true"# + (isEmpty ? "" : ",") + rest).utf8)
    }
}

extension InAppType {
    /// The types that options can make.
    fileprivate init(argument: String) throws {
        let known: [InAppType] = [.modal, .full, .bannerTop, .bannerBottom, .fullImage]
        guard let type = InAppType(rawValue: argument), known.contains(type) else {
            let words = known.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("write one of \(words); other types come with --in-app.")
        }
        self = type
    }
}
