import BelfryModel
import BelfryStore
import Foundation

/// One upload of events that is to be stored, with what is known of them beforehand.
struct EventUpload: Sendable {
    let events: [Event]
    /// The owners that the events name, by the events' positions.
    let owners: [NamedOwner]
    let notes: [Int: EventNotes]
    let caller: AuthenticatedCaller
    let now: Date
}

/// The result of storing an upload.
struct StoredEvents: Sendable {
    /// The device's link, with its present contact.
    let link: DeviceLink
    /// The number of new events.
    let count: Int
    /// The positions of the new events that belong to the device's present contact.
    let own: [Int]
}

extension EventUpload {
    /// Stores several uploads with the statements of one (FLEET-4): it looks up their devices together and writes their
    /// events together. Rare steps, such as reports, run for each upload separately.
    static func store(
        _ uploads: [EventUpload], _ entering: KnownEnteringEvents, in connection: any SQLConnection
    ) throws -> [Result<StoredEvents, any Error>] {
        let lookup = CallerLookup(connection: connection)
        let links = try lookup.awake(uploads.map(\.caller)) { try connection.devices.uploadLinks(ids: $0) }
        try connection.hold { try people(named(in: uploads, besides: links), in: connection) }
        let stories = try zip(uploads, links).map { upload, found in
            try Result { try lookup.confirmed(found?.link, of: upload.caller) }.mapThrowing { link in
                try UploadStory(upload, link, connection)
            }
        }
        var isNew = try connection.events.insert(stories.flatMap { (try? $0.get())?.rows ?? [] })[...]
        return try zip(stories, links).map { story, found in
            try story.mapThrowing { story in
                let mine = isNew.prefix(story.entries.count)
                isNew = isNew.dropFirst(story.entries.count)
                return try story.end(mine, found?.entering, entering, connection)
            }
        }
    }
}

extension EventUpload {
    /// A contact that a device has left.
    private struct Former: Hashable {
        let device: Int64
        let contact: Int64
    }

    /// The contacts that uploads name besides those that their devices have.
    private static func named(in uploads: [EventUpload], besides links: [UploadLink?]) -> Set<Former> {
        Set(
            zip(uploads, links).flatMap { upload, found -> [Former] in
                guard let link = found?.link else { return [] }
                let named = upload.owners.compactMap { $0.owner(on: link).contactID(of: link) }
                return named.filter { $0 != link.contact }.map { Former(device: link.id, contact: $0) }
            }
        )
    }

    /// The people whom contacts stand for now, and those to whom the devices' events of them are on their way.
    private static func people(_ former: Set<Former>, in connection: any SQLConnection) throws -> [Int64?] {
        let survivors = try connection.contacts.survivors(of: Set(former.map(\.contact)))
        return try former.flatMap { named -> [Int64?] in
            guard let survivor = survivors[named.contact] else { return [] }
            return [survivor, try connection.eventMoves.destination(of: named.device, from: survivor)]
        }
    }
}

/// An upload of a device that was found.
private struct UploadStory {
    struct Entry {
        let place: Int
        /// The event's present owner; `named` is the one that the event names.
        let owner: EventOwner
        let named: EventOwner
        let at: Date
    }

    let upload: EventUpload
    let link: DeviceLink
    /// The upload's events, without late ones of an erased person. Those are accepted but not stored, because nobody
    /// could erase them any more.
    private(set) var entries: [Entry] = []

    init(_ upload: EventUpload, _ link: DeviceLink, _ connection: any SQLConnection) throws {
        self.upload = upload
        self.link = link
        var people = ExistingPeople(of: link)
        entries.reserveCapacity(upload.events.count)
        for (place, (event, ownerNamed)) in zip(upload.events, upload.owners).enumerated() {
            let named = ownerNamed.owner(on: link)
            guard let owner = try people.find(named, connection) else { continue }
            let at = upload.caller.clockOffset?.corrected(event.timestamp, now: upload.now) ?? event.timestamp
            entries.append(Entry(place: place, owner: owner, named: named, at: at))
        }
    }

    var rows: [NewEvent] {
        entries.map { entry in
            NewEvent(
                upload.events[entry.place], device: link.id, app: link.app, contact: entry.owner.contactID(of: link),
                at: entry.at, receivedAt: upload.now
            )
        }
    }

    /// Writes what the new events report, and returns the upload's result.
    func end(
        _ isNew: ArraySlice<Bool>, _ wanted: EnteringEvents?, _ entering: KnownEnteringEvents,
        _ connection: any SQLConnection
    ) throws -> StoredEvents {
        var reports = UploadReports(of: link)
        var stored = 0
        var own: [Int] = []
        var names: Set<String> = []
        for (entry, isNew) in zip(entries, isNew) where isNew {
            stored += 1
            let event = upload.events[entry.place]
            let contact = entry.owner.contactID(of: link)
            if contact == link.contact {
                own.append(entry.place)
                names.insert(event.name.rawValue)
            }
            // An event happened before it was reported, even if a clock says otherwise. Future dates would create
            // figures for years to come (SEC-12).
            let reported = min(entry.at, upload.now)
            if let notes = upload.notes[entry.place] {
                reports.add(notes, of: [entry.owner, entry.named], at: reported)
            }
            if event.opensApp { reports.addOpening(by: contact, at: reported) }
        }
        try reports.join(connection, now: upload.now)
        // The events may bring the device into the audience of a published message (IAM-15).
        if try !names.isEmpty && entering.hold(any: names, app: link.app, wanted) {
            try connection.silentPushes.ask(.events, devices: [link.id], now: upload.now)
        }
        return StoredEvents(link: link, count: stored, own: own)
    }
}

extension Event {
    /// Whether the event is a session start. A session begins when the app comes to the foreground; a process may start
    /// without one (EVT-6).
    fileprivate var opensApp: Bool { kind == .internal && name == .sessionStart }
}

extension Result where Failure == any Error {
    /// Maps the success. An error of the transform is thrown; it does not become the result's failure.
    fileprivate func mapThrowing<Output>(_ transform: (Success) throws -> Output) throws -> Result<Output, any Error> {
        switch self {
        case .success(let value): .success(try transform(value))
        case .failure(let error): .failure(error)
        }
    }
}
