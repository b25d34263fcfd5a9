import BelfryModel
import BelfryServerModel
import BelfryServices

/// The message centers of an app.
struct CenterListModel: Sendable {
    struct Row: Sendable {
        let centerLabel: String
        let centerName: String
        let centerChip: StatusChip
        let centerCampaigns: String
        let centerAddress: String
    }

    let centers: [Row]
    let inboxAddress: String
    /// The settings page of message centers; nil for people without the right to change them.
    let settingsAddress: String?
    /// Whether no campaign has placed a message in any center.
    let isEmpty: Bool

    init(
        _ all: [MessageCenter], counts: [MessageCenterName: Int], base: String, inboxAddress: String,
        settingsAddress: String?
    ) {
        centers = all.map { center in
            Row(
                centerLabel: center.label ?? center.name.rawValue, centerName: center.name.rawValue,
                centerChip: StatusChip(center), centerCampaigns: Figures.count(counts[center.name] ?? 0),
                centerAddress: "\(base)/\(center.name.rawValue)"
            )
        }
        self.inboxAddress = inboxAddress
        self.settingsAddress = settingsAddress
        isEmpty = counts.isEmpty
    }
}

extension StatusChip {
    init(_ center: MessageCenter) {
        self =
            center.isEnabled ? StatusChip(word: "Shown", tone: "good") : StatusChip(word: "Disabled", tone: "warning")
    }
}

/// The campaigns with messages in a center.
struct CenterModel: Sendable {
    static let pageSize = 50

    struct Row: Sendable {
        let campaignName: String
        let campaignAddress: String
        let messagesAddress: String
        let campaignStatus: StatusChip
        let messageCount: String
    }

    let centerTitle: String
    let centerName: String
    let centerChip: StatusChip
    let centersAddress: String
    let rows: [Row]
    let isEmpty: Bool
    let isFirstPage: Bool
    let firstAddress: String
    let olderAddress: String?
    let composeAddress: String?

    init(
        _ center: MessageCenter, _ campaigns: [CenterCampaign], next: Int64?, isFirstPage: Bool, centers: String,
        campaigns base: String, mayCompose: Bool
    ) {
        centerTitle = center.label ?? center.name.rawValue
        centerName = center.name.rawValue
        centerChip = StatusChip(center)
        centersAddress = centers
        rows = campaigns.map { found in
            let page = "\(base)/\(found.campaign.id)"
            let count = Figures.count(found.messages)
            return Row(
                campaignName: found.campaign.name, campaignAddress: page, messagesAddress: "\(page)/messages",
                campaignStatus: StatusChip(found.campaign.status),
                messageCount: found.hasMore ? "more than \(count)" : count
            )
        }
        isEmpty = campaigns.isEmpty && isFirstPage && next == nil
        self.isFirstPage = isFirstPage
        firstAddress = "\(centers)/\(center.name.rawValue)"
        olderAddress = next.map { "\(centers)/\(center.name.rawValue)?before=\($0)" }
        composeAddress = mayCompose ? "\(base)/new?kind=messageCenter" : nil
    }
}

/// The messages that a campaign has placed.
struct PlacedModel: Sendable {
    static let pageSize = 50

    struct Row: Sendable {
        let holderName: String
        let holderAddress: String?
        let sentWords: String
        let expiryWords: String
        let messageChip: StatusChip
        let recallAddress: String?
    }

    let campaignName: String
    let campaignAddress: String
    let centersAddress: String
    let rows: [Row]
    let isEmpty: Bool
    let isFirstPage: Bool
    let firstAddress: String
    let nextAddress: String?

    init(
        _ campaign: Campaign, _ messages: [PlacedMessage], next: Int64?, isFirstPage: Bool, base: String, zone: AppZone,
        mayRecall: Bool
    ) {
        let page = "\(base)/campaigns/\(campaign.id)"
        campaignName = campaign.draft.name
        campaignAddress = page
        centersAddress = "\(base)/centers"
        rows = messages.map { message in
            let row = message.row
            let isRecalled = row.recalledAt != nil
            var name = "Device \(row.client ?? "")"
            var address: String?
            if case .contact(let number) = row.holder {
                name = row.contactKey ?? "Contact \(number)"
                address = "\(base)/people/\(number)"
            }
            let holder =
                row.contactKey.map { "contact=\(PersonAddress.encoded($0))" }
                ?? "device=\(PersonAddress.encoded(row.client ?? ""))"
            return Row(
                holderName: name, holderAddress: address, sentWords: zone.text(row.sentAt),
                expiryWords: row.expiresAt.map(zone.text) ?? "–",
                messageChip: StatusChip(row.state, isRecalled: isRecalled),
                recallAddress: mayRecall && !isRecalled ? "\(page)/messages/recall?\(holder)" : nil
            )
        }
        isEmpty = messages.isEmpty && isFirstPage
        self.isFirstPage = isFirstPage
        firstAddress = "\(page)/messages"
        nextAddress = next.map { "\(page)/messages?after=\($0)" }
    }
}

/// A contact's messages in the message centers, and the badges of their devices.
struct InboxModel: Sendable {
    struct Center: Sendable {
        let inboxCenter: String
        let inboxChip: StatusChip
        let messages: [Message]
        let isEmpty: Bool
    }

    struct Message: Sendable {
        let subject: String
        let words: String
        let sentWords: String
        let messageChip: StatusChip
        let messageAddress: String
    }

    struct Badge: Sendable {
        let badgeDevice: String
        let badgePlatform: String
        let badgeCount: String
    }

    let key: String
    let inboxAddress: String
    let centersAddress: String
    var keyProblem: String?
    var personName: String?
    var personAddress: String?
    var inboxCenters: [Center] = []
    var badges: [Badge] = []
    var hasBadges = false
    var isShown = false
    /// Whether there are more messages than are shown.
    var isInboxCut = false

    init(key: String, address: String, centersAddress: String) {
        self.key = key
        inboxAddress = address
        self.centersAddress = centersAddress
    }

    mutating func show(_ inbox: ContactInbox, base: String, zone: AppZone) {
        isShown = true
        isInboxCut = inbox.hasMore
        personName = inbox.contact.known ? inbox.contact.key : "Anonymous contact \(inbox.contact.id)"
        personAddress = "\(base)/people/\(inbox.contact.id)"
        inboxCenters = inbox.centers.map { entry in
            Center(
                inboxCenter: entry.center.label ?? entry.center.name.rawValue, inboxChip: StatusChip(entry.center),
                messages: entry.messages.map { message in
                    Message(
                        subject: message.subject, words: message.text, sentWords: zone.text(message.sentAt),
                        messageChip: StatusChip(message.state, isRecalled: false),
                        messageAddress: "\(base)/campaigns/\(message.campaign)"
                    )
                },
                isEmpty: entry.messages.isEmpty
            )
        }
        badges = inbox.badges.map {
            Badge(badgeDevice: $0.device, badgePlatform: $0.platform ?? "unknown", badgeCount: Figures.count($0.count))
        }
        hasBadges = !badges.isEmpty
    }
}
