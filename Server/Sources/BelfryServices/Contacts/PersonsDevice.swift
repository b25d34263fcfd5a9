import BelfryModel
import BelfryStore
import Foundation

/// A device that a person has or had, and what of that which happened on it is the person's. What an export shows is
/// what an erasure counts and removes (ADM-4): both ask here.
struct PersonsDevice {
    /// Messages that are looked at at once.
    private static let placesAtOnce = 500

    let number: Int64
    /// Whether nobody else is known to have had it.
    let isSole: Bool
    /// The person's contact. Rows may still name one that became it.
    let person: Int64
    let connection: any SQLConnection

    /// Whether the device was the person's at a moment.
    func wasTheirs(at moment: Date) throws -> Bool {
        switch try connection.contactLinks.owner(ofDevice: number, at: moment) {
        case .contact(let owner): try connection.contacts.isPart(owner, of: person)
        case .nobody: false
        case .unknown: isSole
        }
    }

    /// The campaigns of those among some messages of the device's own inbox that are of the time in which the device
    /// was the person's and nobody was logged in (MC-15). Of a device that others use as well, or that is somebody
    /// else's by now, the rest is those others'.
    func theirs(among places: [MessagePlace]) throws -> Set<CampaignID> {
        let placing = try connection.people.placing(of: places.map(\.campaign), device: number)
        let theirs = try places.filter { place in
            if let contact = placing[place.campaign] { return contact == person }
            return try wasTheirs(at: place.sentAt)
        }
        return Set(theirs.map(\.campaign))
    }

    /// The same of all messages of the device's own inbox.
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
