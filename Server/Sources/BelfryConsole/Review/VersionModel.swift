import BelfryServerModel
import BelfryServices

/// The versions of a campaign, newest first.
struct HistoryModel: Sendable {
    struct Line: Sendable {
        let versionTitle: String
        let versionAddress: String
        let versionAuthor: String
        let versionTime: String
        let versionChip: StatusChip?
    }

    let campaignName: String
    let campaignAddress: String
    let lines: [Line]
    let hasNoVersions: Bool

    init(
        _ versions: [CampaignVersionService.Version], approval: CampaignApproval, campaign: Campaign, zone: AppZone,
        page: String
    ) {
        campaignName = campaign.draft.name
        campaignAddress = page
        let present = versions.first { $0.isPublished }?.number
        lines = versions.map { version in
            let isNewest = version.number == approval.version?.number
            let chip: StatusChip? =
                if isNewest, approval.status != .open {
                    approval.status.chip
                } else if !version.isPublished {
                    StatusChip(word: isNewest ? "Waits" : "Not published", tone: "quiet")
                } else {
                    version.number == present ? StatusChip(word: "Present", tone: "good") : nil
                }
            return Line(
                versionTitle: "Version \(version.number)", versionAddress: "\(page)/versions/\(version.number)",
                versionAuthor: version.author?.words ?? "unknown", versionTime: zone.text(version.savedAt),
                versionChip: chip
            )
        }
        hasNoVersions = versions.isEmpty
    }
}

/// The page of one version, with its differences from another one.
struct VersionModel: Sendable {
    /// A version, with its differences where they could be found out.
    enum Content: Sendable {
        case compared(CampaignVersionService.Comparison)
        /// A version without a comparison; `why` is the sentence that says the reason.
        case alone(CampaignVersionService.Version, says: CampaignDraft, why: String)
    }

    /// The data of the page besides the versions.
    struct Present: Sendable {
        let zone: AppZone
        /// The address of the campaign's page.
        let page: String
        let rights: Set<UserRight>
        let formToken: String
        let problem: String?
    }

    struct Choice: Sendable {
        let choiceValue: String
        let choiceWords: String
        let isChosen: Bool
    }

    struct Row: Sendable {
        let rowField: String
        let rowOld: String?
        let rowNew: String?
    }

    let campaignName: String
    let campaignAddress: String
    let historyAddress: String
    let title: String
    let savedSentence: String
    let comparedSentence: String
    /// The sentence in place of the differences where there are none to show.
    let withoutRowsSentence: String
    let rows: [Row]
    let hasRows: Bool
    let othersSentence: String?
    let choices: [Choice]
    let hasChoices: Bool
    let compareAddress: String
    let restoreAddress: String?
    let publishAddress: String?
    let presentDigest: String
    let formToken: String
    let notDone: String?

    init(
        _ content: Content, others: [CampaignVersionService.Version], campaign: Campaign, present: Present
    ) {
        let to: CampaignVersionService.Version
        let from: CampaignVersionService.Version?
        let draft: CampaignDraft
        switch content {
        case .compared(let comparison):
            (to, from, draft) = (comparison.to, comparison.from, comparison.after)
            comparedSentence = from.map { "Compared with version \($0.number)." } ?? "No earlier version is kept."
            withoutRowsSentence = "\(comparedSentence) They have the same content."
            rows = comparison.differences.parts.map { DifferenceWords.row($0, comparison) }
            let rest = comparison.differences.others
            othersSentence =
                rest == 0 ? nil : "\(Figures.count(rest, "further part differs", "further parts differ"))."
        case .alone(let version, let says, let why):
            (to, from, draft) = (version, nil, says)
            (comparedSentence, withoutRowsSentence) = (why, why)
            (rows, othersSentence) = ([], nil)
        }
        let isNewest = others.first?.number == to.number
        let mayCompose = present.rights.contains(.compose)
        campaignName = campaign.draft.name
        campaignAddress = present.page
        historyAddress = "\(present.page)/versions"
        compareAddress = "\(present.page)/versions/\(to.number)"
        title = "Version \(to.number)"
        savedSentence = "Saved by \(to.author?.words ?? "somebody unknown") at \(present.zone.text(to.savedAt))."
        hasRows = !rows.isEmpty
        choices = others.filter { $0.number != to.number }.map { version in
            Choice(
                choiceValue: String(version.number),
                choiceWords: "Version \(version.number), \(present.zone.text(version.savedAt))",
                isChosen: version.number == from?.number
            )
        }
        hasChoices = !choices.isEmpty
        let mayRestore = campaign.status == .draft && mayCompose && draft != campaign.draft
        restoreAddress = mayRestore ? "\(compareAddress)/restore" : nil
        publishAddress = isNewest && !to.isPublished && mayCompose ? "\(compareAddress)/publish" : nil
        presentDigest = (try? DraftVersion(campaign.draft).text) ?? ""
        formToken = present.formToken
        notDone = present.problem
    }
}

/// Differences in words.
enum DifferenceWords {
    static func row(_ part: DraftDifference, _ comparison: CampaignVersionService.Comparison) -> VersionModel.Row {
        guard part.field != "audience" else {
            return VersionModel.Row(
                rowField: "Who gets it", rowOld: comparison.before.map { ConditionWords.sentence($0.audience) },
                rowNew: ConditionWords.sentence(comparison.after.audience)
            )
        }
        return VersionModel.Row(rowField: field(part.field), rowOld: part.old, rowNew: part.new)
    }

    /// The name of a field: `Push: title`, `Push: button 1 text`, `In fr: title`.
    static func field(_ path: String) -> String {
        if let name = names[path] { return name }
        let parts = path.utf8.split(separator: UInt8(ascii: ".")).map { String(Substring($0)) }
        guard parts.count > 1, let section = sections[parts[0]] else { return path }
        let words = parts.dropFirst().map(self.words)
        return "\(section): \(words.joined(separator: ", "))"
    }

    /// A part of an API name in words: `imageURL` as `image url`, `buttons[0]` as `buttons 1`.
    private static func words(_ part: String) -> String {
        var words: [UInt8] = []
        var number: Int?
        for byte in part.utf8 {
            switch byte {
            case UInt8(ascii: "["):
                number = 0
                words.append(UInt8(ascii: " "))
            case UInt8(ascii: "]"):
                words += Array(String((number ?? 0) + 1).utf8)
                number = nil
            case UInt8(ascii: "0")...UInt8(ascii: "9") where number != nil:
                number = min(number ?? 0, 1_000_000) * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if let last = words.last, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(last) {
                    words.append(UInt8(ascii: " "))
                }
                words.append(byte | 0x20)
            default:
                words.append(byte)
            }
        }
        return String(decoding: words, as: UTF8.self)
    }

    private static let names = [
        "name": "Name", "kind": "Kind", "push.title": "Title", "push.body": "Text", "push.subtitle": "Subtitle",
        "push.action.url": "A tap opens", "push.imageUrl": "Image", "schedule.at": "Sent at",
        "schedule.localAt": "Sent at, by each person's clock", "schedule.expiresAt": "Not sent from",
    ]

    private static let sections = [
        "push": "Push", "messageCenter": "Message center", "inApp": "In-app message", "schedule": "When",
    ]
}
