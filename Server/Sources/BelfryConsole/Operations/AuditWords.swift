import BelfryModel
import BelfryServices

/// Lines of the audit log as sentences (CON-10).
enum AuditWords {
    /// The number of code points that are shown of an action's target.
    private static let maximumTargetLength = 120

    /// The name of the actor on pages.
    static func actor(_ name: String) -> String {
        if name == "root" { return "The root key" }
        if let user = rest(of: name, behind: "user:") { return user.isolated }
        return "The key \(name.isolated)"
    }

    /// The action and its target: `made the campaign 12`.
    static func deed(_ entry: AuditLog.Entry) -> String {
        let target = entry.target.map { ShownText.text($0, atMost: maximumTargetLength).isolated }
        guard let words = deeds[entry.action] else {
            if let deed = failed(entry.action) { return "\(deed.sentence(about: target)), but could not finish" }
            return "did '\(entry.action)'" + (target.map { " to \($0)" } ?? "")
        }
        return words.sentence(about: target)
    }

    /// The actions that a search can name, sorted by their words.
    static let choices: [FormChoice] =
        deeds.map { FormChoice($0.key, $0.value.title) }.sorted { ($0.words, $0.value) < ($1.words, $1.value) }

    /// The log's name for an actor that somebody typed: a person's name, `root` or the name of a key; nil for a blank
    /// text.
    static func actor(typed: String) -> String? {
        let text = typed.trimmed
        guard !text.isEmpty else { return nil }
        if text == "root" || text.utf8.starts(with: "user:".utf8) || text.utf8.starts(with: "key-".utf8) { return text }
        return "user:\((try? UserName(text))?.text ?? text)"
    }

    private struct Deed: Sendable {
        /// The action in words, such as `made the campaign`.
        let words: String
        /// Whether the target follows the words.
        let namesTarget: Bool
        /// The text between the words and the target.
        let link: String

        init(_ words: String, namesTarget: Bool = true, link: String = "") {
            self.words = words
            self.namesTarget = namesTarget
            self.link = link
        }

        var title: String { words.capitalizedFirst }

        func sentence(about target: String?) -> String {
            guard namesTarget, let target else { return words }
            return "\(words)\(link) \(target)"
        }
    }

    private static let deeds: [String: Deed] = [
        "app.create": Deed("made the app", namesTarget: false),
        "app.rename": Deed("renamed the app", namesTarget: false),
        "attribute.define": Deed("defined the attribute"), "attribute.defineAll": Deed("defined the attributes"),
        "attribute.remove": Deed("removed the attribute"),
        "audience.count": Deed("counted an audience", namesTarget: false),
        "campaign.cancel": Deed("cancelled the campaign"), "campaign.create": Deed("made the campaign"),
        "campaign.delete": Deed("deleted the campaign"), "campaign.dryRun": Deed("looked who would get the campaign"),
        "campaign.launch": Deed("launched the campaign"), "campaign.pause": Deed("paused the campaign"),
        "campaign.preview": Deed("looked at a preview of the campaign"),
        "campaign.recall": Deed("recalled the messages of the campaign"),
        "campaign.resume": Deed("resumed the campaign"), "campaign.test": Deed("sent a test of the campaign"),
        "campaign.test.begin": Deed("began a test of the campaign"),
        "campaign.test.fail": Deed("could not finish a test of the campaign"),
        "campaign.update": Deed("changed the campaign"),
        "campaign.approval": Deed("decided about the approval of the campaign"),
        "campaign.comment": Deed("commented on the campaign"),
        "campaign.comment.delete": Deed("deleted a comment on the campaign"),
        "campaign.propose": Deed("proposed a version of the campaign"),
        "campaign.publish": Deed("published a version of the campaign"),
        "campaign.rehearse": Deed("rehearsed the campaign"),
        "campaign.rehearsal.cancel": Deed("cancelled a rehearsal of the campaign"),
        "campaign.restore": Deed("restored a version of the campaign"),
        "audience.sample": Deed("looked at people of an audience", namesTarget: false),
        "calendar.pressure": Deed("counted the messages to people of an audience", namesTarget: false),
        "contact.export": Deed("exported the person"),
        "contact.delete": Deed("deleted the contact"), "contact.erase": Deed("erased the person"),
        "contact.erase.begin": Deed("began to erase the person"),
        "contact.erase.fail": Deed("could not finish the erasure of the person"),
        "contact.merge": Deed("merged the contact"), "contact.rename": Deed("renamed the contact"),
        "credentials.check": Deed("checked the credentials for"), "credentials.put": Deed("stored credentials for"),
        "credentials.remove": Deed("removed the credentials for"), "device.revoke": Deed("revoked the device"),
        "key.create": Deed("made the key"), "key.revoke": Deed("revoked the key"),
        "message.recall": Deed("recalled the message"), "messageCenter.delete": Deed("removed the message center"),
        "messageCenter.put": Deed("saved the message center"),
        "quarantine.drop": Deed("dropped from quarantine"), "quarantine.retry": Deed("retried from quarantine"),
        "read": Deed("read"), "repeat": Deed("repeated a call to"), "settings.put": Deed("changed the settings"),
        "user.change": Deed("changed the account of a person", link: ", number"),
        "user.create": Deed("made a person", link: ", number"),
        "user.delete": Deed("deleted a person", link: ", number"),
        "user.password": Deed("set the password of a person", link: ", number"),
        "user.role": Deed("changed the role of a person", link: ", number"),
        "user.session.end": Deed("ended a session of a person", link: ", number"),
        "user.sessions.end": Deed("ended all sessions of a person", link: ", number"),
    ]

    /// The action that failed, for a name that ends in `.fail`; nil for any other name.
    private static func failed(_ action: String) -> Deed? {
        let end = ".fail"
        guard action.utf8.count > end.utf8.count, action.hasSuffix(end) else { return nil }
        return deeds[String(decoding: action.utf8.dropLast(end.utf8.count), as: UTF8.self)]
    }

    private static func rest(of text: String, behind start: String) -> String? {
        guard text.utf8.starts(with: start.utf8) else { return nil }
        return String(decoding: text.utf8.dropFirst(start.utf8.count), as: UTF8.self)
    }
}

extension String {
    /// The text with an upper-case first letter.
    var capitalizedFirst: String {
        var bytes = Array(utf8)
        if let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) { bytes[0] = first & 0xDF }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text without spaces and tabs around it.
    var trimmed: String {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let start = utf8.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(decoding: start[..<end], as: UTF8.self)
    }
}
