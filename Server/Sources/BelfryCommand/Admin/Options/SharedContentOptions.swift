import ArgumentParser
import BelfryModel
import BelfryServerModel
import BelfryWire

/// The command-line options that a push and an in-app message share (CAMP-6, IAM-1).
struct SharedContentOptions: ParsableArguments {
    /// The id of the one button that options make.
    static let buttonID = "open"

    @Option(help: "The https address of the image.")
    var image: String?

    @Option(help: "The text of a button that opens --url. (default: no button)")
    var button: String?

    @Option(
        help: "The message in other languages: a file with JSON by locale, {\"fr\":{\"title\":\"Salut\"}}.",
        completion: .file(extensions: ["json"])
    )
    var variants: String?

    @Option(
        help: """
            Of a push, 10 (at once), 5 or 1 (to spare power). Of several in-app messages that are due, the one with \
            the lowest number is shown first.
            """
    )
    var priority: Int?

    /// The names of the options that are given, as a person writes them.
    var given: [String] {
        let options: [(name: String, isGiven: Bool)] = [
            ("--image", image != nil), ("--button", button != nil), ("--variants", variants != nil),
            ("--priority", priority != nil),
        ]
        return options.filter(\.isGiven).map(\.name)
    }

    /// Throws when there is a button that opens nothing.
    func checkButton(opening url: String?) throws {
        guard button == nil || url != nil else {
            throw ValidationError("Use --url for the address that the button opens.")
        }
    }

    /// Adds these options to a push, except its variants, which are sent unchanged.
    func complete(_ push: PushContent, opening url: String?) throws -> PushContent {
        try checkButton(opening: url)
        var push = push
        push.imageUrl = image
        push.priority = priority
        let action = url.map { NotificationAction(type: .openUrl, url: $0) }
        push.buttons = button.map { [NotificationButton(id: Self.buttonID, text: $0, action: action)] }
        return push
    }

    /// Writes the variants of a file as a member of a JSON object, unchanged: if they were decoded and encoded again,
    /// they would lose what this version does not know.
    func writeVariants(to text: inout JSONWriter) throws {
        guard let variants else { return }
        text.key("variants")
        text.raw(try InputFile(variants, option: "--variants").json())
    }
}
