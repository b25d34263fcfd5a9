import BelfryModel
import BelfryStore
import Foundation

/// A device that a person has or had, and which of its data are the person's. Export, count and erasure all use it, so
/// that they handle the same data (ADM-4).
struct PersonsDevice {
    /// How many messages are checked at a time.
    private static let placesAtOnce = 500

    let number: Int64
    /// Whether the device is not known to have had any other contact.
    let isSole: Bool
    /// The person's contact. Rows may still name a contact that was merged into it.
    let person: Int64
    let connection: any SQLConnection

    /// Whether the device was the person's at a moment.
    func wasTheirs(at moment: Date) throws -> Bool {
        switch try connection.contactLinks.owner(ofDevice: number, at: moment) {
        case .contact(let owner): try connection.contactParts.isPart(owner, of: person)
        case .nobody: false
        case .unknown: isSole
        }
    }

    /// The campaigns of the person's messages among some messages in the device's own inbox: those from a time in which
    /// the device was the person's and nobody was logged in (MC-15). The others belong to other users of the device.
    func theirs(among places: [MessagePlace]) throws -> Set<CampaignID> {
        let placing = try connection.people.placing(of: places.map(\.campaign), device: number)
        let theirs = try places.filter { place in
            if let contact = placing[place.campaign] { return contact == person }
            return try wasTheirs(at: place.sentAt)
        }
        return Set(theirs.map(\.campaign))
    }

    /// The campaigns of the person's messages in the device's own inbox.
    func ownInbox() throws -> [CampaignID] {
        let holder = MessageHolder.installation(number).number
        var campaigns: [CampaignID] = []
        var position: StoredMessage.Position?
        while true {
            let page = try connection.people.places(of: holder, after: position, limit: Self.placesAtOnce)
            campaigns += try theirs(among: page).sorted()
            guard page.count == Self.placesAtOnce, let last = page.last else { return campaigns }
            position = last.position
        }
    }
}
