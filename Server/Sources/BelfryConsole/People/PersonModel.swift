import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// A person's page: identity, devices, attributes with their sources, and history (CON-9).
struct PersonModel: Sendable {
    static let timelineSize = 40

    struct AttributeLine: Sendable {
        let attributeName: String
        let attributeWords: String
        let sourceWords: String
        let setWords: String
    }

    struct MessageLine: Sendable {
        let messageName: String
        let messageAddress: String
        let messagePlace: String
        let messageChip: StatusChip
        let messageWhen: String
    }

    let personTitle: String
    let personChip: StatusChip
    let peopleAddress: String
    let facts: [Fact]
    let devices: [PersonDeviceModel]
    let devicesHead: String
    let hasDevices: Bool
    let attributes: [AttributeLine]
    let hasAttributes: Bool
    let messages: [MessageLine]
    let hasMessages: Bool
    let inAppMessages: [MessageLine]
    let hasInAppMessages: Bool
    let timeline: TimelineModel
    let eventsAddress: String
    let whyForm: WhyForm
    /// The address of the export; nil for people without the right to it.
    let exportAddress: String?
    let eraseAddress: String?
    let formToken: String

    init(
        _ profile: PersonProfile, timeline: TimelineModel, why: WhyForm, at place: PersonPlace, app: AppService.App,
        now: Date
    ) {
        personTitle = profile.contact.key
        personChip = StatusChip(isKnown: profile.contact.known)
        peopleAddress = place.list
        facts = Self.facts(profile, zone: place.zone)
        devices = profile.devices.map { PersonDeviceModel($0, at: place, maximumBadge: app.settings.maximumBadge) }
        hasDevices = !devices.isEmpty
        devicesHead =
            profile.deviceCount > devices.count
            ? "Devices: the newest \(devices.count) of \(Figures.count(profile.deviceCount))" : "Devices"
        attributes = profile.contact.attributes.sorted { $0.key < $1.key }.map { name, value in
            AttributeLine(
                attributeName: name, attributeWords: ShownText.value(value),
                sourceWords: Self.source(profile.sources[name]),
                setWords: profile.sources[name]?.at.map(place.zone.text) ?? "Before times were kept"
            )
        }
        hasAttributes = !attributes.isEmpty
        messages = profile.messages.map { Self.line($0, profile, at: place, now: now) }
        hasMessages = !messages.isEmpty
        inAppMessages = profile.inAppMessages.map { Self.line($0, at: place) }
        hasInAppMessages = !inAppMessages.isEmpty
        self.timeline = timeline
        eventsAddress = "\(place.app)/events?person=\(place.number)"
        whyForm = why
        exportAddress = place.mayManage ? "\(place.person)/export" : nil
        eraseAddress = place.mayManage ? "\(place.person)/erase" : nil
        formToken = place.formToken
    }

    private static func facts(_ profile: PersonProfile, zone: AppZone) -> [Fact] {
        let contact = profile.contact
        var facts = [Fact("Contact key", contact.key)]
        if !profile.aliases.isEmpty {
            facts.append(Fact("Former keys", profile.aliases.map(\.isolated).joined(separator: ", ")))
        }
        if let party = contact.party {
            let words = [party.type, party.name, party.number].map(\.isolated).joined(separator: " / ")
            facts.append(Fact("Party identifier", words))
        }
        if !profile.tags.isEmpty {
            let term =
                profile.hasMoreTags ? "Tags: the first \(Figures.count(profile.tags.count)); there are more" : "Tags"
            facts.append(Fact(term, profile.tags.map { words($0).isolated }.joined(separator: ", ")))
        }
        facts.append(Fact("App last opened", contact.lastOpenedAt.map(zone.text) ?? "Never, as far as known"))
        facts.append(Fact("First seen", zone.text(contact.createdAt)))
        if !profile.formerDevices.isEmpty {
            let ids = profile.formerDevices.map(\.rawValue.isolated).joined(separator: ", ")
            facts.append(Fact("Devices that left", ids))
        }
        return facts
    }

    private static func words(_ tag: PersonTag) -> String {
        guard !tag.clients.isEmpty else { return tag.tag }
        return "\(tag.tag) (from \(tag.clients.map(\.rawValue).joined(separator: " and ")))"
    }

    private static func source(_ source: AttributeSource?) -> String {
        guard let source, !source.clients.isEmpty else {
            return "An earlier device, or a contact that became this one"
        }
        return "Registration of \(source.clients.map(\.rawValue).joined(separator: " and "))"
    }

    private static func line(
        _ message: PlacedMessage, _ profile: PersonProfile, at place: PersonPlace, now: Date
    ) -> MessageLine {
        let row = message.row
        return MessageLine(
            messageName: profile.campaigns[row.campaign]?.name ?? "Campaign \(row.campaign)",
            messageAddress: "\(place.app)/campaigns/\(row.campaign)", messagePlace: row.center.rawValue,
            messageChip: StatusChip(
                row.state, isRecalled: row.recalledAt != nil, isExpired: row.expiresAt.map { $0 <= now } ?? false
            ),
            messageWhen: place.zone.text(row.sentAt)
        )
    }

    private static func line(_ message: PersonProfile.InAppMessage, at place: PersonPlace) -> MessageLine {
        let state = message.state
        let (chip, at): (StatusChip, Date?) =
            if let at = state.recalledAt {
                (StatusChip(word: "Withdrawn", tone: "quiet"), at)
            } else if let at = state.clickedAt {
                (StatusChip(word: "Tapped \(times(state.clicks))", tone: "good"), at)
            } else if let at = state.displayedAt {
                (StatusChip(word: "Displayed \(times(state.displays))", tone: "good"), at)
            } else if let at = state.notShownAt {
                (StatusChip(word: "Not shown: \(state.notShownReason ?? "no reason")", tone: "warning"), at)
            } else {
                (StatusChip(word: "Downloaded", tone: "busy"), state.downloadedAt)
            }
        return MessageLine(
            messageName: message.campaign?.name ?? "Campaign \(state.campaign)",
            messageAddress: "\(place.app)/campaigns/\(state.campaign)",
            messagePlace: message.client?.rawValue ?? "A device that left", messageChip: chip,
            messageWhen: at.map(place.zone.text) ?? ""
        )
    }

    private static func times(_ count: Int) -> String {
        count == 1 ? "once" : "\(Figures.count(count)) times"
    }
}

/// A device on its person's page.
struct PersonDeviceModel: Sendable {
    struct Namesake: Sendable {
        let namesakeWords: String
        let namesakeAddress: String?
    }

    let deviceID: String
    let consentChip: StatusChip
    let consentWords: String
    let deviceFacts: [Fact]
    /// Other devices with the same id.
    let namesakes: [Namesake]
    let hasNamesakes: Bool
    let revokeAddress: String?

    init(_ profile: DeviceProfile, at place: PersonPlace, maximumBadge: Int) {
        let device = profile.device
        let consent = DeviceWords.consent(profile)
        deviceID = device.client.rawValue
        consentChip = consent.chip
        consentWords =
            consent.sentence + (device.optOut.map { " Since \(place.zone.text($0.at))." } ?? "")
        deviceFacts = Self.facts(profile, zone: place.zone, maximumBadge: maximumBadge)
        namesakes = profile.namesakes.map { other in
            Namesake(
                namesakeWords:
                    "\(other.contactKey ?? "Nobody is known on it"), since \(place.zone.text(other.createdAt))",
                namesakeAddress: other.contact.map { "\(place.list)/\($0)" }
            )
        }
        hasNamesakes = !namesakes.isEmpty
        revokeAddress = place.mayManage ? "\(place.person)/devices/\(device.id)/revoke" : nil
    }

    private static func facts(_ profile: DeviceProfile, zone: AppZone, maximumBadge: Int) -> [Fact] {
        let device = profile.device
        let badge = profile.badge.atMost(maximumBadge)
        let rows: [(String, String?)] = [
            ("Device", DeviceWords.system(device.system)), ("SDK", device.system.sdkVersion),
            ("Client", device.v3.map { "Mobile Engage \($0.version)" }), ("Language", device.system.locale),
            ("Time zone", device.system.timeZone), ("Last opened", device.lastOpenedAt.map(zone.text)),
            ("Push token", device.pushToken.map { "\($0), of \($0.provider.rawValue)" }),
            ("Token since", device.pushToken.flatMap { _ in device.tokenAt.map(zone.text) }),
            ("Token moved away", device.tokenMovedAt.map(zone.text)), ("Badge", "\(badge.count)"),
            ("Last registration", profile.registration.map { Self.words($0, zone: zone) }),
            ("First seen", zone.text(device.createdAt)),
        ]
        return rows.compactMap { term, words in words.map { Fact(term, $0) } }
    }

    private static func words(_ registration: DeviceProfile.Registration, zone: AppZone) -> String {
        let when = "Number \(registration.revision), \(zone.text(registration.processedAt))"
        guard !registration.rejected.isEmpty else { return "\(when): all of it was applied." }
        let parts = registration.rejected.map { "\($0.field): \($0.message)" }
        return "\(when). Not applied: \(parts.joined(separator: " "))"
    }
}
