import BelfryModel
import BelfryStore
import Foundation

/// Finds the things of one app that a call names, in the call's transaction. What the app does not have is an error of
/// the kind "not found". Devices are found whether they are living or dormant.
struct AppLookup {
    let connection: any SQLConnection
    let app: Int64

    func device(_ id: String) throws -> DeviceRow {
        guard let client = try? DeviceID(id), let device = try connection.devices.find(app: app, client: client) else {
            throw ServiceError.notFound(what: "device", id: String(id.prefix(64)))
        }
        return device
    }

    /// The device with this number, or nil if it no longer exists. A device id may name several devices, a number only
    /// one (WIRE-20).
    func device(number: Int64) throws -> DeviceRow? {
        guard let device = try connection.devices.findAnywhere(id: number), device.app == app else { return nil }
        return device
    }

    /// The device for a preview or a test of a campaign: the newest living installation with this id. An id may name
    /// several installations, and a newer one may be dormant (WIRE-20). Throws a conflict if all are dormant, because a
    /// dormant device is in no audience (FLEET-2).
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

    /// The contact with this key, in any Unicode spelling: keys are stored in the composed form. A key with a null
    /// character is not looked up: no key has one, and PostgreSQL rejects the query.
    func contact(_ key: String) throws -> ContactRow {
        let composed = NamingRule.composed(key)
        guard !key.utf8.contains(0),
            let contact = try connection.contacts.find(app: app, key: key)
                ?? connection.contacts.find(app: app, key: composed)
        else { throw ServiceError.notFound(what: "contact", id: key) }
        return contact
    }

    /// The contact with this key and whether the key is a former one, for operators who rename and merge contacts.
    /// Unlike ``contact(_:)`` it also follows former keys of anonymous contacts.
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

    /// The message center with exactly this name: names are compared letter by letter.
    func center(_ raw: String) throws -> MessageCenter {
        guard let name = try? MessageCenterName(raw), let center = try connection.messageCenters.find(app: app, name)
        else { throw Self.unknownCenter(raw) }
        return center
    }

    static func unknownCenter(_ raw: String) -> ServiceError {
        .notFound(what: "messageCenter", id: String(raw.prefix(64)), code: "unknownMessageCenter")
    }
}
