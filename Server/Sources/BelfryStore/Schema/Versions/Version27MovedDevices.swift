/// From here on dead devices are moved out of the tables of those that live (FLEET-2). No table changes: the number alone
/// says that no program of version 25 starts on the database any more (FLEET-1). To such a program a device that was moved
/// would be gone, and it would make another one in its place. So version 26, which made their table, only looked there.
enum Version27MovedDevices {
    static let migration = Migration(version: 27) { _ in [] }
}
