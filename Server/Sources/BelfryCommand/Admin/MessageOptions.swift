import ArgumentParser
import BelfryModel
import BelfryWire

/// What a campaign keeps in a message centre, and what it does to the badge, on the command line (MC-3, BADGE-1).
struct MessageOptions: ParsableArguments {
    @Option(help: "Keep it in this message center, too.")
    var center: String?

    @Flag(help: "Notify nobody: keep it in a message center only. (default: in Primary)")
    var withoutPush = false

    @Option(help: "Its subject in the message center. (default: the title)")
    var subject: String?

    @Option(help: "The address of its icon in the message center.")
    var icon: String?

    @Option(help: "The address of a page to show for it in the message center; without --url, its push opens it, too.")
    var richUrl: String?

    @Option(help: "The same as a file of HTML; without --url, its push opens it, too.", completion: .file())
    var richHtml: String?

    @Option(help: "Show it in the message center until this moment; written as for --at.")
    var messageExpiresAt: String?

    @Option(
        help: ArgumentHelp(
            "What it does to the number on the app's icon.", valueName: "increment[:number]|set:number|clear"
        ),
        transform: { try BadgeChange(argument: $0) }
    )
    var badge: BadgeChange?

    func validate() throws {
        let parts = [subject, icon, richUrl, richHtml, messageExpiresAt]
        guard keepsMessage || parts.allSatisfy({ $0 == nil }) else {
            throw ValidationError("Name the message center that keeps it with --center.")
        }
        guard richUrl == nil || richHtml == nil else {
            throw ValidationError("Give --rich-url or --rich-html, not both.")
        }
    }

    /// Whether nothing is said of it.
    var isEmpty: Bool { !keepsMessage && badge == nil }

    var kind: CampaignKind {
        if withoutPush { return .messageCenter }
        return keepsMessage ? .pushAndMessageCenter : .push
    }

    /// Whether a message that is kept beside a push has a page to open.
    var keepsPageOfPush: Bool { kind == .pushAndMessageCenter && (richUrl != nil || richHtml != nil) }

    private var keepsMessage: Bool { center != nil || withoutPush }

    /// Nil: it is kept nowhere. Beside a push, what it does not say is as the push says it.
    func content(of push: PushContent) throws -> MessageCenterContentRequest? {
        guard keepsMessage else { return nil }
        var content = MessageCenterContentRequest(
            center: center, subject: subject, iconUrl: icon, richUrl: richUrl,
            richHtml: try richHtml.map { try InputFile($0, option: "--rich-html").text() }, expiresAt: messageExpiresAt
        )
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
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value: Int? = parts.count == 2 ? WholeNumber.read(parts[1]) : nil
        guard let op = Operation(rawValue: String(parts[0])), parts.count == 1 || value != nil else {
            throw ValidationError("write increment, increment:2, set:3 or clear.")
        }
        self.init(op: op, value: value)
    }
}
