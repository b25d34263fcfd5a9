import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

/// What a campaign shows inside the app, on the command line (IAM-1, IAM-12).
struct InAppCommandOptions: ParsableArguments {
    /// What a message waits for that names no event.
    static let standardTrigger = EventName.sessionStart.rawValue
    /// The id of the one button that options make.
    static let buttonID = "open"

    @Option(
        help: "An in-app message: a file with the JSON of the admin API. '-' is standard input.",
        completion: .file()
    )
    var inApp: String?

    @Option(
        help: ArgumentHelp(
            "An in-app message of this type, with the title and the body.",
            valueName: "modal|full|bannerTop|bannerBottom|fullImage"
        ),
        transform: { try InAppType(argument: $0) }
    )
    var type: InAppType?

    @Option(help: "The event that shows the in-app message. (default: \(standardTrigger))")
    var trigger: String?

    @Option(help: "The https address of the in-app message's image.")
    var image: String?

    @Option(help: "The text of a button that opens --url. (default: no button; a tap on the message opens it)")
    var button: String?

    @Option(help: "Show the in-app message from this time on. Same format as --at.")
    var startsAt: String?

    @Option(help: "Show the in-app message until this time. Same format as --at.")
    var endsAt: String?

    @Option(help: "How many times a person sees the in-app message on one device. (default: 1)")
    var displayLimit: Int?

    @Flag(help: "When a launched message is edited, reset its display count.")
    var resetDisplays = false

    func validate() throws {
        guard inApp == nil || isComposedOfNothing else {
            throw ValidationError("Use --in-app or single options of a message, not both.")
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

    private func request(title: String?, body: String?, url: String?) throws -> InAppDraftRequest {
        guard title != nil || body != nil || image != nil else {
            throw ValidationError("Give --title, --body or --image, or the message with --in-app.")
        }
        guard button == nil || url != nil else {
            throw ValidationError("Use --url for the address that the button opens.")
        }
        let action = url.map { InAppAction(type: .openUrl, url: $0) }
        let button = button.flatMap { text in
            action.map { InAppButton(id: Self.buttonID, text: text, action: $0) }
        }
        var draft = InAppDraft(
            type: type ?? .modal, trigger: InAppTrigger(event: trigger ?? Self.standardTrigger),
            displayLimit: displayLimit,
            content: InAppContent(
                title: title, body: body, imageUrl: image, buttons: button.map { [$0] },
                action: button == nil ? action : nil
            )
        )
        draft.$startsAt = ZonedDate(asWritten: startsAt)
        draft.$endsAt = ZonedDate(asWritten: endsAt)
        return InAppDraftRequest(draft, resetDisplays: resetDisplays ? true : nil)
    }

    /// Puts the word in front of what a person wrote, which goes out as it is.
    private static func resetting(_ json: Data) throws -> Data {
        let text = String(decoding: json, as: UTF8.self)
        guard let brace = text.firstIndex(where: { !$0.isWhitespace }), text[brace] == "{" else {
            throw ValidationError("--in-app: the message must be a JSON object.")
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
            throw ValidationError("use one of \(words); for other types, use --in-app.")
        }
        self = type
    }
}
