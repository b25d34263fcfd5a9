/// From here on the upkeep divides the events by week where the engine has partitions (FLEET-3). No table changes: a
/// migration would have to find the table free and to read all of it while every start waits, so the upkeep divides it, when
/// it can. The number alone turns that on (``PartitionedTable/firstSchema``), for it says that no program of version 27 starts
/// on the database any more (FLEET-1). Such a program names the key of all events, which a divided table does not have, and
/// could store none. That of version 28, which may run beside this one, takes a divided table as it takes one in one piece.
enum Version29WeeklyEvents {
    static let migration = Migration(version: 29) { _ in [] }
}
