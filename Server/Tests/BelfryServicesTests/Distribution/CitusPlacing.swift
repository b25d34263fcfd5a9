import BelfryStore

/// How Citus is told of the places of tables (FLEET-5).
enum CitusPlacing {
    /// The keys as they are to become (Docs/Decisions/0009-citus.md): with the distribution column. Contacts are found by
    /// their key without uniqueness, which a directory of keys has to take over.
    static let newKeys = """
        ALTER TABLE refresh_tokens DROP CONSTRAINT refresh_tokens_pkey, ADD PRIMARY KEY (token_hash, device_id);
        ALTER TABLE registrations DROP CONSTRAINT registrations_pkey, ADD PRIMARY KEY (device_id, id);
        ALTER TABLE contacts DROP CONSTRAINT contacts_app_id_contact_key_key;
        CREATE INDEX contacts_by_any_key ON contacts (app_id, contact_key)
        """

    /// The table beside which those of an owner lie.
    static func first(of owner: Distribution.Owner) -> String {
        switch owner {
        case .device: "devices"
        case .contact: "contacts"
        }
    }

    /// Nil for a table that stays where it is.
    ///
    /// - Parameter besides: whether rows of one owner are to be on one server, whatever table they are in. The owner's
    ///   first table has its place before the others then.
    static func statement(for table: String, besides: Bool) -> String? {
        switch Distribution.place(of: table) {
        case .reference?: return "SELECT create_reference_table('\(table)')"
        case .distributed(let owner, let column)?:
            let first = first(of: owner)
            let neighbour = besides && table != first ? first : "none"
            return "SELECT create_distributed_table('\(table)', '\(column)', colocate_with => '\(neighbour)')"
        case .local?, nil: return nil
        }
    }
}
