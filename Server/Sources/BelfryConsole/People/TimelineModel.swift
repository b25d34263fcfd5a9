import BelfryModel
import BelfryServices

/// The timeline of a person: all events and messages, the newest first.
struct TimelineModel: Sendable {
    struct Line: Sendable {
        let lineTone: String
        let lineWhen: String
        let lineMoment: String
        let lineSentence: String
        let lineCampaign: String?
        let lineCampaignAddress: String?
        let lineWhyAddress: String?
        let lineDevice: String?
        let lineDetails: [Detail]
    }

    struct Detail: Sendable {
        let detailName: String
        let detailWords: String
    }

    struct Filter: Sendable {
        let filterName: String
        let filterAddress: String
        let isPresentFilter: Bool
    }

    let lines: [Line]
    let isEmptyTimeline: Bool
    let filters: [Filter]
    let firstAddress: String?
    let olderAddress: String?

    init(_ page: TimelinePage, kind: TimelineKind?, isFirst: Bool, at place: PersonPlace) {
        lines = page.entries.map { Line($0, at: place) }
        isEmptyTimeline = lines.isEmpty
        filters =
            [Filter(filterName: "Everything", filterAddress: place.person + "#timeline", isPresentFilter: kind == nil)]
            + TimelineKind.allCases.map { other in
                Filter(
                    filterName: other.words, filterAddress: "\(place.person)?kind=\(other.rawValue)#timeline",
                    isPresentFilter: other == kind
                )
            }
        let filter = kind.map { "kind=\($0.rawValue)&" } ?? ""
        firstAddress = isFirst ? nil : "\(place.person)?\(filter)#timeline"
        olderAddress = page.cursor.map { "\(place.person)?\(filter)cursor=\($0)#timeline" }
    }
}

extension TimelineModel.Line {
    /// The number of an event's attributes that a line shows.
    private static let maximumDetails = 20

    init(_ entry: TimelineEntry, at place: PersonPlace) {
        lineTone = entry.tone
        lineWhen = place.zone.text(entry.at)
        lineMoment = Timestamp.text(entry.at)
        lineSentence = ShownText.text(entry.sentence)
        lineCampaign = entry.campaign?.name
        lineCampaignAddress = entry.campaign.map { "\(place.app)/campaigns/\($0.id)" }
        lineWhyAddress = entry.kind == .decision ? entry.campaign.map { "\(place.why)?campaign=\($0.id)" } : nil
        lineDevice = entry.client?.rawValue
        let attributes = entry.attributes.sorted { $0.key < $1.key }.prefix(Self.maximumDetails).map {
            TimelineModel.Detail(detailName: $0.key, detailWords: ShownText.value($0.value))
        }
        let rejected = entry.rejected.prefix(Self.maximumDetails).map {
            TimelineModel.Detail(detailName: $0.field, detailWords: ShownText.text($0.message))
        }
        lineDetails = attributes + rejected
    }
}

extension TimelineEntry {
    /// The CSS class of a line of the timeline.
    fileprivate var tone: String {
        switch (kind, what) {
        case (.decision, "accepted"), (.message, "opened"), (.message, "clicked"), (.message, "read"): "good"
        case (.decision, "pending"), (.registration, "received"): "busy"
        case (.decision, "suppressed"), (.decision, "cancelled"), (.registration, "partlyRejected"): "warning"
        case (.message, "notShown"), (.link, "revoked"): "warning"
        case (.decision, "rejected"): "bad"
        default: ""
        }
    }
}

extension TimelineKind {
    /// The label of the filter.
    var words: String {
        switch self {
        case .event: "Events"
        case .registration: "Registrations"
        case .link: "Logins and logouts"
        case .message: "Messages"
        case .decision: "Decisions"
        }
    }
}
