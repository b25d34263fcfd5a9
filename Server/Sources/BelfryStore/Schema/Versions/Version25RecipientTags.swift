/// By which contact's tag a device knows its pushes since an operator merged that contact into another one (ADM-5, ID-4).
enum Version25RecipientTags {
    static let migration = Migration(version: 25) { _ in
        [
            "ALTER TABLE devices ADD COLUMN tag_contact_id BIGINT",
            "ALTER TABLE devices ADD COLUMN tag_generation BIGINT",
        ]
    }
}
