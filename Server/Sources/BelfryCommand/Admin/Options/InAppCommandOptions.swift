import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation

/// The command-line options of an in-app message (IAM-1, IAM-12).
struct InAppCommandOptions: ParsableArguments {
    /// The trigger of a message for which no event is named.
    static let standardTrigger = EventName.sessionStart.rawValue

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

    @Option(
        name: .customLong("where"),
        help: "Which of these events count: a predicate in JSON over the event's attributes and device properties."
    )
    var condition: String?

    @Option(help: "Show the in-app message at this event of them, from 1. (default: 1)")
    var occurrence: Int?

    @Option(help: "Show the in-app message this many seconds after the event. (default: 0)")
    var delay: Int?

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
        guard let condition else { return }
        do {
            try JSONInput.check(Array(condition.utf8))
        } catch {
            throw ValidationError("--where \(error).")
        }
    }

    /// Whether none of the in-app options is given.
    var isEmpty: Bool { inApp == nil && isComposedOfNothing && !resetDisplays }

    private var isComposedOfNothing: Bool {
        type == nil && [displayLimit, occurrence, delay].allSatisfy { $0 == nil }
            && [trigger, condition, startsAt, endsAt].allSatisfy { $0 == nil }
    }

    /// The message as JSON: the file's unchanged text, or a message made from the options.
    ///
    /// - Parameters: the values of the other options.
    func json(title: String?, body: String?, url: String?, shared: SharedContentOptions) throws -> Data {
        guard let inApp else {
            let json = try JSONEncoder().encode(request(title: title, body: body, url: url, shared: shared))
            return try Self.adding(try written(shared), to: json)
        }
        let json = try InputFile(inApp, option: "--in-app").json()
        guard resetDisplays else { return json }
        return try Self.adding(#""resetDisplays":true"#, to: json)
    }

    /// Members of JSON that a person wrote, unchanged: if they were decoded and encoded again, they would lose what
    /// this version does not know.
    private func written(_ shared: SharedContentOptions) throws -> String {
        var text = JSONWriter()
        text.key("trigger")
        text.literal("{")
        text.key("event")
        text.string(trigger ?? Self.standardTrigger)
        if let condition {
            text.literal(",")
            text.key("where")
            text.raw(condition)
        }
        if let occurrence {
            text.literal(",")
            text.key("occurrence")
            text.integer(Int64(occurrence))
        }
        text.literal("}")
        if shared.variants != nil {
            text.literal(",")
            try shared.writeVariants(to: &text)
        }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private func request(
        title: String?, body: String?, url: String?, shared: SharedContentOptions
    ) throws -> InAppDraftRequest {
        guard title != nil || body != nil || shared.image != nil else {
            throw ValidationError("Give --title, --body or --image, or the message with --in-app.")
        }
        try shared.checkButton(opening: url)
        let action = url.map { InAppAction(type: .openUrl, url: $0) }
        let button = shared.button.flatMap { text in
            action.map { InAppButton(id: SharedContentOptions.buttonID, text: text, action: $0) }
        }
        var draft = InAppDraft(
            type: type ?? .modal, priority: shared.priority, displayLimit: displayLimit, delaySeconds: delay,
            content: InAppContent(
                title: title, body: body, imageUrl: shared.image, buttons: button.map { [$0] },
                action: button == nil ? action : nil
            )
        )
        draft.$startsAt = ZonedDate(asWritten: startsAt)
        draft.$endsAt = ZonedDate(asWritten: endsAt)
        return InAppDraftRequest(draft, resetDisplays: resetDisplays ? true : nil)
    }

    /// Inserts members at the beginning of a JSON object and leaves the rest of its text unchanged.
    private static func adding(_ members: String, to json: Data) throws -> Data {
        let text = String(decoding: json, as: UTF8.self)
        guard let brace = text.firstIndex(where: { !$0.isWhitespace }), text[brace] == "{" else {
            throw ValidationError("--in-app: the message must be a JSON object.")
        }
        let rest = text[text.index(after: brace)...]
        let isEmpty = rest.first { !$0.isWhitespace } == "}"
        return Data(("{" + members + (isEmpty ? "" : ",") + rest).utf8)
    }
}

extension InAppType {
    /// Reads one of the message types that the options can make.
    fileprivate init(argument: String) throws {
        let known: [InAppType] = [.modal, .full, .bannerTop, .bannerBottom, .fullImage]
        guard let type = InAppType(rawValue: argument), known.contains(type) else {
            let words = known.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("use one of \(words); for other types, use --in-app.")
        }
        self = type
    }
}
