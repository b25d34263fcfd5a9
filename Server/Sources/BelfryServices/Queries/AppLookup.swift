import BelfryModel
import BelfryStore
import Foundation

/// What a call names of one app: found in the transaction of the call, or refused as not found. Devices are found
/// whether they live or are dormant.
struct AppLookup {
    let connection: any SQLConnection
    let app: Int64

    func device(_ id: String) throws -> DeviceRow {
        guard let client = try? DeviceID(id), let device = try connection.devices.find(app: app, client: client) else {
            throw ServiceError.notFound(what: "device", id: String(id.prefix(64)))
        }
        return device
    }

    /// The device with this number, if it is there still: an id may name several (WIRE-20).
    func device(number: Int64) throws -> DeviceRow? {
        guard let device = try connection.devices.findAnywhere(id: number), device.app == app else { return nil }
        return device
    }

    /// The same for a campaign that is tried on it: a dormant device is in no audience (FLEET-2). An id may name several
    /// installations (WIRE-20), and the newest that lives is tried, though a newer one may be dormant.
    func livingDevice(_ id: String) throws -> DeviceRow {
        if let client = try? DeviceID(id),
            let living = try connection.devices.find(app: app, client: client, in: .living)
        {
            return living
        }
        let device = try device(id)
        throw ServiceError.conflict(
            message: "The device '\(device.client.rawValue)' is dormant: no campaign reaches it before its app is "
                + "opened. Choose another device."
        )
    }

    /// In whatever spelling of its letters: keys are stored in one. PostgreSQL refuses to be asked for the null character,
    /// which no key has.
    func contact(_ key: String) throws -> ContactRow {
        let composed = NamingRule.composed(key)
        guard !key.utf8.contains(0),
            let contact = try connection.contacts.find(app: app, key: key)
                ?? connection.contacts.find(app: app, key: composed)
        else { throw ServiceError.notFound(what: "contact", id: key) }
        return contact
    }

    /// The same for an operator who renames and merges contacts, with whether the key is a former one: those of anonymous
    /// contacts are followed, too.
    func holder(of key: String) throws -> (contact: ContactRow, isAlias: Bool) {
        let composed = NamingRule.composed(key)
        guard !key.utf8.contains(0),
            let held = try connection.contacts.holder(of: key, app: app)
                ?? connection.contacts.holder(of: composed, app: app)
        else { throw ServiceError.notFound(what: "contact", id: key) }
        return held
    }

    func campaign(_ id: CampaignID) throws -> CampaignRow {
        guard let row = try connection.campaigns.find(id), row.app == app else {
            throw ServiceError.notFound(what: "campaign", id: id.description)
        }
        return row
    }

    /// The center of this very name; names are compared letter by letter.
    func center(_ raw: String) throws -> MessageCenter {
        guard let name = try? MessageCenterName(raw), let center = try connection.messageCenters.find(app: app, name)
        else { throw Self.unknownCenter(raw) }
        return center
    }

    static func unknownCenter(_ raw: String) -> ServiceError {
        .notFound(what: "messageCenter", id: String(raw.prefix(64)), code: "unknownMessageCenter")
    }
}
