import BelfryModel
import BelfryServerModel
import Foundation

/// A device as stored.
package struct DeviceRow: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let client: DeviceID
    package var contact: Int64?
    /// The newest link generation that was issued, and the newest that the device has used (WIRE-20).
    package var linkGeneration: Int64 = 0
    package var confirmedGeneration: Int64 = 0
    /// The epoch, which identifies the installation: it grows when a new installation takes the row over, and when an
    /// operator revokes the device (SEC-10).
    package var epoch: Int64 = 0
    package var pushToken: PushToken?
    /// Since when the device has its token; without a token, since when another device has the token that it had
    /// (REG-27).
    package var tokenAt: Date?
    /// Nil until the device reports it, which a v3 client never does (REG-22).
    package var pushEnabled: Bool?
    package var osPushEnabled: Bool?
    package var optOut: OptOut?
    package var system = SystemProperties()
    /// The Mobile Engage v3 client that last registered the device; nil for another client (WIRE-29).
    package var v3: V3Client?
    package var lastOpenedAt: Date?
    /// The highest revision that was applied.
    package var revision: Int64 = 0
    /// The attributes and tags of the last applied snapshot (REG-28).
    package var applied: AppliedSnapshot?
    /// When each property was last reported (WIRE-21).
    package var tokenOrder = PropertyOrder()
    package var propertiesOrder = PropertyOrder()
    package var contactOrder = PropertyOrder()
    /// The generation of the last link that counted, with which the present epoch of orders began (ID-10).
    package var orderEpoch: Int64 = 0
    /// The contact whose recipient tag the device expects; nil: its own contact (ID-4).
    package var knownTag: KnownTag?
    package let createdAt: Date
    package var updatedAt: Date
}

/// The contact whose recipient tag a device expects: the one to which it was linked before an operator merged that
/// contact into another (ADM-5, ID-4). The next link tells the device the other tag.
package struct KnownTag: Hashable, Sendable {
    package let contact: Int64
    /// The device's link generation at the merge; with a later one the device knows the new tag.
    package let generation: Int64

    package init(contact: Int64, generation: Int64) {
        self.contact = contact
        self.generation = generation
    }
}

/// The attributes of a device's last snapshot, with which the next one is compared (REG-28).
package struct AppliedSnapshot: Hashable, Sendable, Codable {
    /// The contact of the snapshot, or the one that took over that contact's history (ID-8).
    package var contact: Int64
    package var attributes: [String: AttributeValue]
    /// The contacts that this installation has left, the newest last. A client that lost the last responses still shows
    /// the state of one of them (WIRE-20).
    package var formerContacts: [Int64]?
    /// The contacts that an operator has merged into the device's contact (ADM-5): until it gets the next response, the
    /// client shows the state of one of them.
    package var mergedContacts: [Int64]?
    /// The revision of the snapshot; nil if it is not known to be about this contact.
    package var revision: Int64?
    /// The last snapshot, if it was made for a contact that has left the device since and is not ``contact`` (REG-25).
    package var left: SaidAttributes?

    package init(
        contact: Int64, attributes: [String: AttributeValue], formerContacts: [Int64]? = nil,
        mergedContacts: [Int64]? = nil, revision: Int64? = nil
    ) {
        self.contact = contact
        self.attributes = attributes
        self.formerContacts = formerContacts
        self.mergedContacts = mergedContacts
        self.revision = revision
    }
}

/// The attributes that one snapshot reported for a contact, as far as they count.
package struct SaidAttributes: Hashable, Sendable, Codable {
    package var contact: Int64
    package var attributes: [String: AttributeValue]
    package let revision: Int64

    package init(contact: Int64, attributes: [String: AttributeValue], revision: Int64) {
        self.contact = contact
        self.attributes = attributes
        self.revision = revision
    }
}

extension DeviceRow {
    /// When another device of the app registered the token that this one had; nil if the device has no token for
    /// another reason.
    package var tokenMovedAt: Date? { pushToken == nil ? tokenAt : nil }

    package var link: DeviceLink {
        DeviceLink(
            id: id, app: app, contact: contact, linkGeneration: linkGeneration,
            confirmedGeneration: confirmedGeneration, orderEpoch: orderEpoch,
            shownGeneration: contactOrder.generation, epoch: epoch, revision: revision
        )
    }

    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, app, client, contact, linkGeneration, confirmedGeneration, pushToken, pushProvider, pushEnvironment
        case tokenAt, pushEnabled, osPushEnabled, optOutReason, optOutAt, platform, osVersion, appVersion, sdkVersion
        case deviceModel, locale, timeZone, lastOpenedAt, revision, applied, tokenOrder, propertiesOrder, contactOrder
        case createdAt, updatedAt, epoch, tokenGeneration, propertiesGeneration, contactGeneration, orderEpoch
        case v3Version, v3Channel, tagContact, tagGeneration

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .app: "app_id"
            case .client: "client_id"
            case .contact: "contact_id"
            case .linkGeneration: "link_generation"
            case .confirmedGeneration: "confirmed_generation"
            case .pushToken: "push_token"
            case .pushProvider: "push_provider"
            case .pushEnvironment: "push_environment"
            case .tokenAt: "token_at"
            case .pushEnabled: "push_enabled"
            case .osPushEnabled: "os_push_enabled"
            case .optOutReason: "opt_out_reason"
            case .optOutAt: "opt_out_at"
            case .platform: "platform"
            case .osVersion: "os_version"
            case .appVersion: "app_version"
            case .sdkVersion: "sdk_version"
            case .deviceModel: "device_model"
            case .locale: "locale"
            case .timeZone: "time_zone"
            case .lastOpenedAt: OpeningHolder.device.lastOpening(of: "devices")
            case .revision: "revision"
            case .applied: "applied"
            case .tokenOrder: "token_order"
            case .propertiesOrder: "properties_order"
            case .contactOrder: "contact_order"
            case .createdAt: "created_at"
            case .updatedAt: "updated_at"
            case .epoch: "epoch"
            case .tokenGeneration: "token_generation"
            case .propertiesGeneration: "properties_generation"
            case .contactGeneration: "contact_generation"
            case .orderEpoch: "order_epoch"
            case .v3Version: "v3_version"
            case .v3Channel: "v3_channel"
            case .tagContact: "tag_contact_id"
            case .tagGeneration: "tag_generation"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        id = row.integer(.id)
        app = row.integer(.app)
        client = try DeviceID(row.text(.client))
        contact = row.optionalInteger(.contact)
        linkGeneration = row.integer(.linkGeneration)
        confirmedGeneration = row.integer(.confirmedGeneration)
        pushToken = try Self.pushToken(row)
        tokenAt = row.optionalDate(.tokenAt)
        pushEnabled = row.optionalFlag(.pushEnabled)
        osPushEnabled = row.optionalFlag(.osPushEnabled)
        if let reason = row.optionalText(.optOutReason).flatMap(OptOutReason.init(rawValue:)) {
            optOut = OptOut(reason: reason, at: row.date(.optOutAt))
        }
        system = SystemProperties(
            timeZone: row.optionalText(.timeZone), locale: row.optionalText(.locale),
            platform: row.optionalText(.platform), osVersion: row.optionalText(.osVersion),
            appVersion: row.optionalText(.appVersion), sdkVersion: row.optionalText(.sdkVersion),
            deviceModel: row.optionalText(.deviceModel)
        )
        lastOpenedAt = row.optionalDate(.lastOpenedAt)
        revision = row.integer(.revision)
        applied = try row.optionalText(.applied).map { try JSONText.decode(AppliedSnapshot.self, $0) }
        tokenOrder = PropertyOrder(
            generation: row.integer(.tokenGeneration), milliseconds: row.integer(.tokenOrder)
        )
        propertiesOrder = PropertyOrder(
            generation: row.integer(.propertiesGeneration), milliseconds: row.integer(.propertiesOrder)
        )
        contactOrder = PropertyOrder(
            generation: row.integer(.contactGeneration), milliseconds: row.integer(.contactOrder)
        )
        orderEpoch = row.integer(.orderEpoch)
        createdAt = row.date(.createdAt)
        updatedAt = row.date(.updatedAt)
        epoch = row.integer(.epoch)
        v3 = row.optionalText(.v3Version).map { V3Client(version: $0, channel: row.optionalText(.v3Channel)) }
        knownTag = row.optionalInteger(.tagContact).map {
            KnownTag(contact: $0, generation: row.integer(.tagGeneration))
        }
    }

    private static func pushToken(_ row: ResultRow<Column>) throws -> PushToken? {
        guard let value = row.optionalText(.pushToken) else { return nil }
        guard let provider = PushProvider(rawValue: row.text(.pushProvider)),
            let environment = PushEnvironment(rawValue: row.text(.pushEnvironment))
        else { throw StoreError.corrupted(table: "devices", key: row.text(.client)) }
        return try PushToken(value, provider: provider, environment: environment)
    }

    /// The values of all columns that may change, in the order of ``DeviceRepository``'s `UPDATE`.
    var changing: [SQLValue] {
        get throws {
            [
                .optional(contact), .integer(linkGeneration), .integer(confirmedGeneration),
                .optional(pushToken?.value), .optional(pushToken?.provider.rawValue),
                .optional(pushToken?.environment.rawValue), .optional(tokenAt), .optional(pushEnabled),
                .optional(osPushEnabled), .optional(optOut?.reason.rawValue), .optional(optOut?.at),
                .optional(system.platform), .optional(system.osVersion), .optional(system.appVersion),
                .optional(system.sdkVersion), .optional(system.deviceModel), .optional(system.locale),
                .optional(system.timeZone), .optional(WideOpening.oldest(lastOpenedAt)), .optional(lastOpenedAt),
                .integer(revision), .optional(try applied.map(JSONText.encode)), .integer(tokenOrder.milliseconds),
                .integer(propertiesOrder.milliseconds), .integer(contactOrder.milliseconds), .integer(epoch),
                .integer(tokenOrder.generation), .integer(propertiesOrder.generation),
                .integer(contactOrder.generation), .integer(orderEpoch), .optional(v3?.version),
                .optional(v3?.channel), .optional(knownTag?.contact), .optional(knownTag?.generation),
                .date(updatedAt),
            ]
        }
    }
}

/// When a device reported a property (its push token, its properties, its contact), by its own clock (WIRE-21).
///
/// Orders are compared within an epoch, which begins with a link: if the clock was set back since then, nothing that a
/// person does is undone (ID-10).
package struct PropertyOrder: Hashable, Sendable {
    /// The link generation that the call has shown; 0 before the first link.
    package var generation: Int64
    package var milliseconds: Int64

    package init(generation: Int64 = 0, milliseconds: Int64 = 0) {
        self.generation = generation
        self.milliseconds = milliseconds
    }
}

extension DeviceRow {
    /// Whether a report with this order replaces a former one: it belongs to a later epoch, or is not older within the
    /// same epoch.
    package func accepts(_ order: PropertyOrder, over former: PropertyOrder) -> Bool {
        let (epoch, formerEpoch) = (epoch(of: order), epoch(of: former))
        return epoch == formerEpoch ? order.milliseconds >= former.milliseconds : epoch > formerEpoch
    }

    /// Links that changed nothing have later generations, but belong to the same epoch.
    private func epoch(of order: PropertyOrder) -> Int64 {
        min(order.generation, orderEpoch)
    }
}
