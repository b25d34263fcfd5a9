import BelfryModel
import Foundation

/// An installation that is not there yet.
package struct NewDevice: Sendable {
    /// The link that an installation comes with. Its row is written once and whole: one that was written without a contact
    /// and got it then would be written twice, with all of its indexes, and have been among those that nobody has linked,
    /// where every other new installation looks (FLEET-4).
    package struct Link: Hashable, Sendable {
        /// One that was made for it, and has nothing but its name yet.
        package let contact: Int64
        /// Whether the app has named the contact.
        package let isKnown: Bool
        /// When it was said, by the device's clock, in milliseconds.
        package let order: Int64

        package init(contact: Int64, isKnown: Bool, order: Int64) {
            self.contact = contact
            self.isKnown = isKnown
            self.order = order
        }
    }

    package let app: Int64
    package let client: DeviceID
    /// In which it begins (SEC-10).
    package let epoch: Int64
    /// Nil: nobody has linked it.
    package let link: Link?
    package let now: Date

    package init(app: Int64, client: DeviceID, epoch: Int64 = 0, link: Link? = nil, now: Date) {
        self.app = app
        self.client = client
        self.epoch = epoch
        self.link = link
        self.now = now
    }
}

extension NewDevice {
    /// Of its only link.
    private var generation: Int64 { link == nil ? 0 : 1 }

    var insertion: SQLFragment {
        SQLFragment(
            """
            INSERT INTO devices (app_id, client_id, contact_id, link_generation, confirmed_generation, revision,
                token_order, properties_order, contact_order, order_epoch, created_at, updated_at, epoch)
            VALUES (?, ?, ?, ?, 0, 0, 0, 0, ?, ?, ?, ?, ?) RETURNING id
            """,
            [
                .integer(app), .text(client.rawValue), .optional(link?.contact), .integer(generation),
                .integer(link?.order ?? 0), .integer(generation), .date(now), .date(now), .integer(epoch),
            ]
        )
    }

    /// As it is stored, so that nobody has to read it.
    func row(_ id: Int64) -> DeviceRow {
        let moment = Date(milliseconds: now.milliseconds)
        return DeviceRow(
            id: id, app: app, client: client, contact: link?.contact, linkGeneration: generation, epoch: epoch,
            contactOrder: PropertyOrder(milliseconds: link?.order ?? 0), orderEpoch: generation, createdAt: moment,
            updatedAt: moment
        )
    }
}
