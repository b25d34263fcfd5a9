import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation

/// The options that describe a campaign, or name a file with the whole campaign.
struct DraftOptions: ParsableArguments {
    @Option(
        help: "The whole campaign: a file with the JSON of the admin API. '-' is standard input.",
        completion: .file()
    )
    var file: String?
    @Option(help: "The campaign's name in lists. (default: its title)")
    var name: String?
    @Option(help: "The title of the notification. Texts may contain placeholders, such as {{firstName}}.")
    var title: String?
    @Option(help: "The text of the notification.")
    var body: String?
    @Option(help: "The audience: a predicate in JSON. (default: {\"everyone\":true})")
    var audience: String?
    @Option(help: "The audience: a file with a predicate in JSON. '-' is standard input.", completion: .file())
    var audienceFile: String?
    @Option(help: "The audience: contacts with this tag.")
    var tag: String?
    @Option(
        help: """
            The deep link or web address that the message opens. (default: the page of --rich-url or --rich-html)
            """
    )
    var url: String?
    @Option(
        help: ArgumentHelp(
            "The kind of campaign; a silent one needs --file. (default: according to the other options)",
            valueName: "push|pushAndMessageCenter|messageCenter|inApp"
        )
    )
    var kind: CampaignKind?
    @OptionGroup(title: "Of a push or an in-app message") var shared: SharedContentOptions
    @OptionGroup(title: "Message center and badge") var message: MessageOptions
    @OptionGroup(title: "In the app") var inApp: InAppCommandOptions
    @OptionGroup(title: "Schedule") var schedule: ScheduleOptions

    func validate() throws {
        guard [audience, audienceFile, tag].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError("Use only one of --audience, --audience-file and --tag.")
        }
        if file != nil {
            let isAlone = [name, title, body, audience, audienceFile, tag, url].allSatisfy { $0 == nil }
            guard isAlone, kind == nil, shared.given.isEmpty, message.isEmpty, inApp.isEmpty, schedule.schedule == nil
            else {
                throw ValidationError("Use --file or single options, not both.")
            }
        } else {
            try checkKind()
            if ownKind != .inApp { _ = try content() } else if !isComposedElsewhere { _ = try inAppJSON() }
        }
        guard let audience else { return }
        do {
            try JSONInput.check(Array(audience.utf8))
        } catch {
            throw ValidationError("--audience \(error).")
        }
    }

    /// The campaign as the JSON of a ``BelfryWire/CampaignRequest``. What a person wrote is sent unchanged: if it were
    /// decoded and encoded again, an audience would lose the parts that this version does not know, and reach more
    /// people than it says.
    func json() throws -> Data {
        if let file { return try InputFile(file, option: "--file").json() }
        let content = ownKind == .inApp ? nil : try content()
        var text = JSONWriter()
        text.literal("{")
        text.key("name")
        text.string(name ?? title ?? "")
        text.literal(",")
        text.key("kind")
        text.string(ownKind.rawValue)
        text.literal(",")
        text.key("audience")
        text.raw(try predicate())
        try writeContent(content, to: &text)
        if let schedule = schedule.schedule {
            text.literal(",")
            text.key("schedule")
            text.raw(try JSONEncoder().encode(schedule))
        }
        text.literal("}")
        return Data(text.bytes)
    }

    /// The kind of campaign that the options describe.
    private var ownKind: CampaignKind { kind == .inApp || !inApp.isEmpty ? .inApp : message.kind }

    /// Whether the in-app message is in a file of its own.
    private var isComposedElsewhere: Bool { inApp.inApp != nil }

    private func checkKind() throws {
        if kind == .silent {
            throw ValidationError(
                "--kind silent needs the whole campaign: give it with --file. No other options make a silent one.")
        }
        if let kind, kind != ownKind {
            throw ValidationError(
                "--kind \(kind.rawValue) does not match the other options, which are for kind '\(ownKind.rawValue)'. "
                    + "Give the whole campaign with --file."
            )
        }
        guard ownKind == .inApp else { return try checkShared() }
        guard message.isEmpty else {
            throw ValidationError("An in-app message cannot be kept in a message center and cannot change the badge.")
        }
        guard isComposedElsewhere else { return }
        guard title == nil, body == nil, url == nil, shared.given.isEmpty else {
            let others = ["--title", "--body", "--url"] + shared.given
            throw ValidationError("Use --in-app or \(others.joined(separator: ", ")), not both.")
        }
        guard name != nil else { throw ValidationError("Give the campaign's name with --name.") }
    }

    /// Throws when it is not clear which message gets the image and the other shared content, or when no message shows
    /// it.
    private func checkShared() throws {
        let options = shared.given.joined(separator: ", ")
        guard !shared.given.isEmpty else { return }
        guard kind != nil || !message.isEmpty else {
            throw ValidationError(
                "A push and an in-app message can both have \(options). Add --kind push or --kind inApp."
            )
        }
        guard !message.withoutPush else {
            throw ValidationError(
                "A message without a push cannot have \(options). Use --center in place of --without-push, or --file."
            )
        }
    }

    private func writeContent(_ content: PushContent?, to text: inout JSONWriter) throws {
        if ownKind == .inApp {
            text.literal(",")
            text.key("inApp")
            return text.raw(try inAppJSON())
        }
        guard let content else { return }
        if !message.withoutPush {
            text.literal(",")
            text.key("push")
            try write(push: content, to: &text)
        }
        guard let message = try message.content(of: content) else { return }
        text.literal(",")
        text.key("messageCenter")
        text.raw(try JSONEncoder().encode(message))
    }

    private func write(push: PushContent, to text: inout JSONWriter) throws {
        let json = try JSONEncoder().encode(push)
        guard shared.variants != nil else { return text.raw(json) }
        text.literal("{")
        try shared.writeVariants(to: &text)
        text.literal(",")
        // The encoded object has a title, so at least one member follows its opening brace.
        text.raw(json.dropFirst())
    }

    private func inAppJSON() throws -> Data {
        try inApp.json(title: title, body: body, url: url, shared: shared)
    }

    private func content() throws -> PushContent {
        guard let title, let body else {
            throw ValidationError("Give --title and --body, or the whole campaign with --file.")
        }
        let push = PushContent(title: title, body: body, action: action, badge: message.badge)
        return try shared.complete(push, opening: url)
    }

    /// The push's action when it is opened: it opens the message page that is kept with the push, unless the options
    /// name another target.
    private var action: NotificationAction? {
        if let url { return NotificationAction(type: .openUrl, url: url) }
        return message.keepsPageOfPush ? NotificationAction(type: .openRichMessage) : nil
    }

    private func predicate() throws -> Data {
        if let audience { return Data(audience.utf8) }
        if let audienceFile { return try InputFile(audienceFile, option: "--audience-file").json() }
        return try JSONEncoder().encode(tag.map { Condition.tag($0) } ?? .everyone)
    }
}

extension CampaignKind: ExpressibleByArgument {}
