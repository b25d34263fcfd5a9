import BelfryModel
import BelfryServices

/// The addresses of an app's events, and the app's time zone.
struct EventsPlace: Sendable {
    /// The address of the app.
    let app: String
    let zone: AppZone

    var page: String { "\(app)/events" }
}

/// The search for events and its results.
struct EventsModel: Sendable {
    struct Line: Sendable {
        let lineWhen: String
        let lineMoment: String
        let lineSentence: String
        let lineWho: String
        let lineWhoAddress: String?
        let lineDevice: String?
        let lineDeviceAddress: String?
        let lineDetails: [TimelineModel.Detail]
    }

    let searchAddress: String
    let fields: [FormField]
    let attributeFields: [FormField]
    let everythingAddress: String?
    /// The person or device whose events are shown; nil: everybody.
    let whoseName: String?
    let whoseAddress: String?
    let lines: [Line]
    let hasLines: Bool
    /// Whether the app has no events at all, as far as the search has read.
    let isNew: Bool
    let isNothing: Bool
    let isLookingOn: Bool
    let hasPager: Bool
    let orderWords: String
    let firstAddress: String?
    let olderAddress: String?
    let olderTitle: String

    /// - Parameter found: nil where the search has errors.
    init(
        _ found: FoundEvents?, _ form: EventForm, whose: NamedEventScope?, isFirst: Bool, at place: EventsPlace,
        problems: FormProblems = FormProblems()
    ) {
        searchAddress = place.page
        fields = form.fields(whose: whose?.name ?? form.whose, problems)
        attributeFields = form.attributeFields(problems)
        let isSearch = form.isFiltered || form.person != nil || !form.whose.isEmpty
        everythingAddress = isSearch ? place.page : nil
        whoseName = whose?.name
        whoseAddress = whose?.contact.map { PersonAddress.of(contact: $0, base: place.app) }
        lines = (found?.events ?? []).map { Line($0, at: place) }
        hasLines = !lines.isEmpty
        let isOver = found != nil && found?.cursor == nil
        isNew = lines.isEmpty && isOver && isFirst && !isSearch
        isNothing = lines.isEmpty && isOver && !isNew
        isLookingOn = lines.isEmpty && found?.cursor != nil
        hasPager = hasLines || !isFirst || found?.cursor != nil
        orderWords =
            whose == nil
            ? "The newest first, of \(DirectoryQueries.eventDevices) devices at a time: the newest devices come first"
            : "The newest first"
        firstAddress = isFirst ? nil : form.address(below: place.page)
        olderAddress = found?.cursor.map { form.address(below: place.page, from: $0) }
        olderTitle = lines.count < EventPages.pageSize ? "Look further" : "Older"
    }
}

extension EventsModel.Line {
    /// The number of attributes that a line shows.
    private static let maximumDetails = 20

    init(_ event: FoundEvent, at place: EventsPlace) {
        lineWhen = place.zone.text(event.at)
        lineMoment = Timestamp.text(event.at)
        lineSentence = ShownText.text(event.sentence)
        lineWho = event.contactKey ?? (event.contact == nil ? "Nobody was known" : "Anonymous")
        lineWhoAddress = event.contact.map { PersonAddress.of(contact: $0, base: place.app) }
        lineDevice = event.client?.rawValue
        lineDeviceAddress = event.client.map { "\(place.page)?of=\(WireURL.encoded($0.rawValue))" }
        let clock = event.deviceAt.map {
            TimelineModel.Detail(detailName: "By the device's clock", detailWords: place.zone.text($0))
        }
        lineDetails =
            [clock].compactMap(\.self)
            + event.attributes.sorted { $0.key < $1.key }.prefix(Self.maximumDetails).map {
                TimelineModel.Detail(detailName: $0.key, detailWords: ShownText.value($0.value))
            }
    }
}
