import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// A device as an entry of a list.
package struct ListedDevice: Sendable {
    package let device: DeviceRow
    package let contactKey: String?
}

extension ListedDevice {
    /// A page of a device search, newest first, and the device number before which the list continues.
    static func page(
        of search: DeviceSearch, app: Int64, before cursor: Int64?, limit: Int, in connection: any SQLConnection
    ) throws -> (devices: [ListedDevice], next: Int64?) {
        let page = try connection.devices.list(app: app, search, before: cursor, limit: limit)
        let keys = try connection.contacts.keys(of: page.devices.compactMap(\.contact))
        return (
            page.devices.map { ListedDevice(device: $0, contactKey: $0.contact.flatMap { keys[$0] }) },
            page.hasMore ? page.devices.last?.id : nil
        )
    }
}

extension DeviceSearch {
    /// A search for a push token as somebody typed it: APNs tokens are stored in lower case.
    static func pushToken(_ text: String) -> DeviceSearch { .pushTokens(Array(Set([text, text.lowercased()]))) }
}

/// The filter of a device list. Only the first part that is set is used.
package struct DeviceListFilter: Hashable, Sendable {
    package var client: String?
    package var pushToken: String?
    package var contact: String?

    package init(client: String? = nil, pushToken: String? = nil, contact: String? = nil) {
        self.client = client
        self.pushToken = pushToken
        self.contact = contact
    }
}

/// Lists and searches, keyset-paged: page 1,000 costs as much as page 1 (ADM-7).
extension DirectoryQueries {
    /// A page of devices, newest first, and the device number before which the list continues.
    package func devices(
        matching filter: DeviceListFilter, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> (devices: [ListedDevice], next: Int64?) {
        try await database.read { connection in
            guard let search = try Self.search(filter, AppLookup(connection: connection, app: app.id)) else {
                return ([], nil)
            }
            return try ListedDevice.page(of: search, app: app.id, before: cursor, limit: limit, in: connection)
        }
    }

    /// The search for a filter; nil for an id that no device can have.
    private static func search(_ filter: DeviceListFilter, _ lookup: AppLookup) throws -> DeviceSearch? {
        if let client = filter.client { return (try? DeviceID(client)).map(DeviceSearch.client) }
        if let token = filter.pushToken { return .pushToken(token) }
        guard let contact = filter.contact else { return .all }
        return .contact(try lookup.contact(contact).id)
    }

    /// A page of the contacts whose key begins with a text, ordered by the bytes of their keys, and the cursor of the
    /// next page.
    package func contacts(
        app: AppRecord, prefix: String, cursor: String?, limit: Int
    ) async throws -> (contacts: [ContactRow], cursor: String?) {
        let start = NamingRule.composed(prefix)
        let position = try cursor.map(Self.key)
        let found = try await database.read {
            try $0.contacts.list(app: app.id, prefix: start, after: position, limit: limit)
        }
        guard found.hasMore, let last = found.contacts.last else { return (found.contacts, nil) }
        return (found.contacts, Base64URL.encode(Array(last.key.utf8)))
    }

    /// The key in the cursor of a list of contacts: the list continues after it.
    static func key(_ cursor: String) throws(ServiceError) -> String {
        guard let bytes = Base64URL.decode(cursor), let key = String(validating: bytes, as: UTF8.self),
            !key.isEmpty, !key.utf8.contains(0)
        else { throw .invalid("cursor", "invalidCursor", "Use the cursor of an earlier response.") }
        return key
    }
}
