import BelfryModel
import BelfryStore
import Foundation

/// One upload of events on its way into the store, with what is known of them before it is there.
struct EventUpload: Sendable {
    let events: [Event]
    /// Whom they name, by their places.
    let owners: [NamedOwner]
    let notes: [Int: EventNotes]
    let caller: AuthenticatedCaller
    let now: Date
}

/// What a write of events came to.
struct StoredEvents: Sendable {
    /// With the contact that the device has.
    let link: DeviceLink
    /// Those that were not there before.
    let count: Int
    /// The places of those of them that are that contact's.
    let own: [Int]
}

extension EventUpload {
    /// Stores several uploads with the statements of one (FLEET-4): their devices are looked up together, and their
    /// events are written together. What only few events bring is done for each upload by itself.
    static func store(
        _ uploads: [EventUpload], _ entering: KnownEnteringEvents, in connection: any SQLConnection
    ) throws -> [Result<StoredEvents, any Error>] {
        let lookup = CallerLookup(connection: connection)
        let links = try lookup.awake(uploads.map(\.caller)) { try connection.devices.uploadLinks(ids: $0) }
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

/// An upload of a device that is known.
private struct UploadStory {
    struct Entry {
        let place: Int
        /// As it stands by now, and as it was named.
        let owner: EventOwner
        let named: EventOwner
        let at: Date
    }

    let upload: EventUpload
    let link: DeviceLink
    /// Its events, without what comes too late of an erased person. That is taken and not kept, for nobody could erase
    /// it any more.
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

    /// Lets the new ones join what is known.
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
            // Whatever a clock said, it was before it was told: the years to come would be full of figures (SEC-12).
            let reported = min(entry.at, upload.now)
            if let notes = upload.notes[entry.place] {
                reports.add(notes, of: [entry.owner, entry.named], at: reported)
            }
            if event.opensApp { reports.addOpening(by: contact, at: reported) }
        }
        try reports.join(connection, now: upload.now)
        // They may bring the device into the audience of a published message (IAM-15).
        if try !names.isEmpty && entering.hold(any: names, app: link.app, wanted) {
            try connection.silentPushes.ask(.events, devices: [link.id], now: upload.now)
        }
        return StoredEvents(link: link, count: stored, own: own)
    }
}

extension Event {
    /// A session begins when the app comes to the foreground; a process may start without (EVT-6).
    fileprivate var opensApp: Bool { kind == .internal && name == .sessionStart }
}

extension Result where Failure == any Error {
    /// What the transform throws is thrown, and no failure of this one.
    fileprivate func mapThrowing<Output>(_ transform: (Success) throws -> Output) throws -> Result<Output, any Error> {
        switch self {
        case .success(let value): .success(try transform(value))
        case .failure(let error): .failure(error)
        }
    }
}
