import BelfryModel
import Foundation

/// An installation that does not exist yet.
package struct NewDevice: Sendable {
    /// The link with which an installation begins. Its row is written once, complete. If the row were written without a
    /// contact and linked later, it would be written twice, with all of its indexes; and meanwhile it would be among
    /// the installations without a contact, which every other new installation reads (FLEET-4).
    package struct Link: Hashable, Sendable {
        /// A contact that was made for this link, and has nothing but its key yet.
        package let contact: Int64
        /// Whether the contact has a key from the app.
        package let isKnown: Bool
        /// When the device made the link, by its own clock, in milliseconds since 1970.
        package let order: Int64

        package init(contact: Int64, isKnown: Bool, order: Int64) {
            self.contact = contact
            self.isKnown = isKnown
            self.order = order
        }
    }

    package let app: Int64
    package let client: DeviceID
    /// The epoch in which the installation begins (SEC-10).
    package let epoch: Int64
    /// Nil: the installation has no contact yet.
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
    /// The generation of its only link; 0 without one.
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

    /// The row as stored, so that it need not be read back.
    func row(_ id: Int64) -> DeviceRow {
        let moment = Date(milliseconds: now.milliseconds)
        return DeviceRow(
            id: id, app: app, client: client, contact: link?.contact, linkGeneration: generation, epoch: epoch,
            contactOrder: PropertyOrder(milliseconds: link?.order ?? 0), orderEpoch: generation, createdAt: moment,
            updatedAt: moment
        )
    }
}
