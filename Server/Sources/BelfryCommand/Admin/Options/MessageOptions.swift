import ArgumentParser
import BelfryModel
import BelfryServerModel
import BelfryWire

/// The command-line options for a message in a message center and for the badge (MC-3, BADGE-1).
struct MessageOptions: ParsableArguments {
    @Option(help: "Also keep the message in this message center.")
    var center: String?

    @Flag(help: "Send no push: only keep the message in a message center. (default: in Primary)")
    var withoutPush = false

    @Option(help: "The subject in the message center. (default: the title)")
    var subject: String?

    @Option(help: "The address of the icon in the message center.")
    var icon: String?

    @Option(help: "The address of the message's page in the message center. Without --url, the push opens it, too.")
    var richUrl: String?

    @Option(help: "The message's page as an HTML file. Without --url, the push opens it, too.", completion: .file())
    var richHtml: String?

    @Option(help: "Show the message in the message center until this time. Same format as --at.")
    var messageExpiresAt: String?

    @Option(
        help: ArgumentHelp(
            "The change of the badge on the app's icon.", valueName: "increment[:number]|set:number|clear"
        ),
        transform: { try BadgeChange(argument: $0) }
    )
    var badge: BadgeChange?

    func validate() throws {
        let parts = [subject, icon, richUrl, richHtml, messageExpiresAt]
        guard keepsMessage || parts.allSatisfy({ $0 == nil }) else {
            throw ValidationError("Give the message center that keeps the message with --center.")
        }
        guard richUrl == nil || richHtml == nil else {
            throw ValidationError("Use --rich-url or --rich-html, not both.")
        }
    }

    /// Whether none of these options is given.
    var isEmpty: Bool { !keepsMessage && badge == nil }

    var kind: CampaignKind {
        if withoutPush { return .messageCenter }
        return keepsMessage ? .pushAndMessageCenter : .push
    }

    /// Whether a push's message-center message has a page to open.
    var keepsPageOfPush: Bool { kind == .pushAndMessageCenter && (richUrl != nil || richHtml != nil) }

    private var keepsMessage: Bool { center != nil || withoutPush }

    /// The message for the message center; nil when none is kept. Beside a push, fields that are not given are taken
    /// from the push.
    func content(of push: PushContent) throws -> MessageCenterContent? {
        guard keepsMessage else { return nil }
        var content = MessageCenterContent(
            center: center, subject: subject ?? "", iconUrl: icon, richUrl: richUrl,
            richHtml: try richHtml.map { try InputFile($0, option: "--rich-html").text() }
        )
        content.$expiresAt = ZonedDate(asWritten: messageExpiresAt)
        guard withoutPush else { return content }
        content.subject = subject ?? push.title
        content.message = push.body
        content.deeplinkUrl = push.action?.url
        content.badge = badge
        return content
    }
}

extension BadgeChange {
    /// Reads `increment`, `increment:2`, `set:3` and `clear`.
    fileprivate init(argument: String) throws {
        let parts = argument.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Substring($0) }
        let value: Int? = parts.count == 2 ? WholeNumber.read(parts[1]) : nil
        guard let op = Operation(rawValue: String(parts[0])), parts.count == 1 || value != nil else {
            throw ValidationError("use increment, increment:2, set:3 or clear.")
        }
        self.init(op: op, value: value)
    }
}
