import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The preview of what the form would send, to whom and when: a part of its page.
struct ComposePreviewModel: Sendable {
    struct Value: Sendable {
        let valueName: String
        let valueText: String
    }

    let phones: [PhoneModel]
    let pages: [PhonePage]
    let previewProblem: String?
    let personWords: String?
    let values: [Value]
    let hasValues: Bool
    let found: [String]
    let hasFound: Bool
    let reached: String?
    let unreached: String?
    let people: [SamplePerson]
    let hasPeople: Bool
    let zones: ZoneTable?

    init(_ contents: ComposeContents, audience: ComposeAudience, appName: String, pageAddress: String) {
        let preview = contents.preview
        phones = contents.phones(appName: appName)
        pages = contents.pages(address: pageAddress)
        previewProblem = contents.problem
        personWords = contents.personWords
        values = (preview?.values ?? []).map { Value(valueName: $0.name, valueText: $0.text ?? "– not known –") }
        hasValues = !values.isEmpty
        found = contents.found
        hasFound = !found.isEmpty
        reached = audience.reach.reached
        unreached = audience.reach.unreached
        people = audience.people
        hasPeople = !people.isEmpty
        zones = audience.zones
    }
}

/// The contents of a draft for the person of a preview.
struct ComposeContents: Sendable {
    let draft: CampaignDraft
    let settings: PreviewSettings
    var centers: [MessageCenter] = []
    /// Nil when the person does not exist.
    var preview: DraftPreview?
    var problem: String?
    /// Keys of contacts that begin with the typed text.
    var found: [String] = []

    var personWords: String? {
        guard preview != nil else { return nil }
        return switch settings.person {
        case .invented: "Seen by an invented person."
        case .knownBy: "Seen by a person with only the values that you typed."
        case .contact(let key): "Seen by \(key.isolated)."
        }
    }

    func phones(appName: String) -> [PhoneModel] {
        guard let preview else { return [] }
        return settings.looks.flatMap { look in
            let push = preview.push.map { PhoneModel($0, appName: appName, look: look) }
            let kept = preview.message.map {
                PhoneModel($0, center: centerName, appName: appName, look: look)
            }
            return [push, kept].compactMap(\.self)
        }
    }

    /// The label of the message center.
    private var centerName: String {
        let name = draft.messageCenter?.center ?? MessageCenterName.primary.rawValue
        return centers.first { $0.name.rawValue == name }?.label ?? name
    }

    /// The HTML pages of the message, each shown in its own frame.
    func pages(address: String) -> [PhonePage] {
        guard let preview else { return [] }
        var pages: [PhonePage] = []
        for look in settings.looks {
            if preview.inApp != nil, draft.inApp?.type != .action {
                pages.append(PhonePage("In the app", look, form: "\(address)?part=inApp&\(look.query)"))
            }
            if preview.message?.richHtml != nil {
                pages.append(PhonePage("When it is opened", look, form: "\(address)?part=rich&\(look.query)"))
            }
        }
        return pages
    }
}

/// Sample people of the audience, and when they would get the campaign.
struct ComposeAudience: Sendable {
    var reach: ReachModel
    var people: [SamplePerson] = []
    var zones: ZoneTable?
}

/// A person of the audience, with the address of their page.
struct SamplePerson: Sendable {
    /// The number of code points that are shown of a value.
    private static let maximumValueLength = 40

    let personName: String
    let personAddress: String?
    let personValues: String

    /// - Parameter base: the address of the app's people.
    init(_ person: AudiencePerson, base: String) {
        personName = person.key ?? person.contact.map { "Anonymous contact \($0)" } ?? "Device \(person.device)"
        personAddress = person.contact.map { "\(base)/\($0)" }
        personValues = person.values.map { value in
            "\(value.name.isolated): \(ShownText.text(value.text ?? "", atMost: Self.maximumValueLength).isolated)"
        }.joined(separator: ", ")
    }
}

/// The local times at which a campaign is sent, by time zone, with the number of devices.
struct ZoneTable: Sendable {
    struct Row: Sendable {
        let zoneName: String
        let zoneDevices: String
        let zoneTime: String
    }

    /// The number of rows that are shown; the others are only counted.
    static let maximumRows = 12

    let zoneRows: [Row]
    let zoneRest: String?
    let timeTitle: String

    /// Returns nil for a campaign without a time.
    init?(_ zones: [AudienceZone], schedule: CampaignSchedule?, app: AppZone) {
        guard let schedule, schedule.at != nil || schedule.localAt != nil, !zones.isEmpty else { return nil }
        var counts: [String: Int] = [:]
        for zone in zones {
            // A device with an unknown time zone is counted in the app's zone.
            let name = zone.zone.flatMap(ZoneName.init)?.text ?? app.name
            counts[name, default: 0] += zone.devices
        }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        zoneRows = sorted.prefix(Self.maximumRows).map { name, devices in
            Row(
                zoneName: name, zoneDevices: Figures.count(devices),
                zoneTime: Self.time(schedule, in: AppZone(named: name), app))
        }
        zoneRest = Self.rest(sorted.dropFirst(Self.maximumRows).map(\.value))
        timeTitle = schedule.localAt == nil ? "Their clock then" : "That is, in \(app.name)"
    }

    private static func rest(_ counts: [Int]) -> String? {
        guard !counts.isEmpty else { return nil }
        let zones = Figures.count(counts.count, "further zone", "further zones")
        return "\(zones) with \(Figures.count(counts.reduce(0, +), "device", "devices"))."
    }

    private static func time(_ schedule: CampaignSchedule, in zone: AppZone, _ app: AppZone) -> String {
        if let local = schedule.localAt {
            return zone.date(AppZone.field(local)).map { AppZone.text(app.local($0)) } ?? ""
        }
        return schedule.at.map { AppZone.text(zone.local($0)) } ?? ""
    }
}
