/* Promela model of atomics in SMs under a mutex (src/atomics/mutex_unit.h): hand-over,
 * acknowledgement, visibility boundary and the epoch rule, for one mutex and one line with a counter.
 * SPIN checks, over all interleavings and all delays of messages:
 *
 * - no two SMs hold the mutex
 * - no update is lost: the memory image ends with the number of increments
 * - data that are used, speculative ones included, have seen every write that was sent
 *
 * The network is one of DIRECTORY, RING (every SM is a member) and HYBRID (members act for the SMs of
 * their column). What must be found if it is done: BREAK_ACK releases before the acknowledgement,
 * BREAK_MATURE uses speculative data of an immature grant, BREAK_WINDOW lets a ring member act in any
 * cycle of its window, BREAK_BOUNDARY releases before a visibility boundary.
 *
 * What is not looked at again is set to 0: otherwise equal states would count as different ones.
 * Left out: hold_max, retained lines, busy wires (rings are safe without), several lines of a mutex. */
#ifndef SMS
#define SMS 3
#endif
#ifdef HYBRID
#define MEMBERS 2
#else
#define MEMBERS SMS
#endif
#define HOP 2
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef EPOCHS
#define EPOCHS 1
#endif

bool wants[SMS], gives[SMS];   /* on their way to the home or member */
bool granted[SMS], mature[SMS]; /* on their way back */
byte asked_epoch[SMS], epoch;
byte holders, finished;

/* Memory: what all see, what an SM has performed since the last boundary, and L2. */
byte image, performed[SMS];
bool pending[SMS], passed[SMS];
byte sent_writes, served_writes; /* by SMs, by L2 */
bool writing[SMS];
mtype = { NONE, ASKED, SERVED };
mtype spec[SMS];
byte spec_writes[SMS];

proctype Sm(byte me)
{
    byte round, seen;
    bool use;
    do
    :: round < ROUNDS ->
        atomic {
            wants[me] = true;
            asked_epoch[me] = epoch;
            spec[me] = ASKED
        }
        atomic {
            granted[me] ->
            granted[me] = false;
            holders++;
            assert(holders == 1);
            use = asked_epoch[me] == epoch;
#ifndef BREAK_MATURE
            use = use && mature[me];
#endif
            asked_epoch[me] = 0;
            mature[me] = false
        }
        /* Data come, and the request is performed on what the image holds. */
        atomic {
            if
            :: use && spec[me] == SERVED -> seen = spec_writes[me]
            :: !use -> seen = served_writes /* whenever L2 serves it */
            fi;
            assert(seen == sent_writes);
            seen = 0;
            use = false;
            performed[me] = image + 1;
            pending[me] = true
        }
        atomic {
            sent_writes++;
            writing[me] = true
        }
#ifndef BREAK_ACK
        !writing[me];
#endif
#ifndef BREAK_BOUNDARY
        passed[me];
#endif
        atomic {
            spec[me] != ASKED -> /* a reply that nobody wants any more has come */
            spec[me] = NONE;
            spec_writes[me] = 0;
            passed[me] = false;
            holders--;
            gives[me] = true;
            round++
        }
    :: else -> break
    od;
    !gives[me] && !pending[me] && !writing[me];
    finished++
}

proctype L2()
{
    byte i;
end:
    do
    :: atomic { writing[0] -> served_writes++; writing[0] = false }
    :: atomic { writing[1] -> served_writes++; writing[1] = false }
    :: atomic { writing[SMS - 1] -> served_writes++; writing[SMS - 1] = false }
    :: atomic { spec[0] == ASKED -> spec_writes[0] = served_writes; spec[0] = SERVED }
    :: atomic { spec[1] == ASKED -> spec_writes[1] = served_writes; spec[1] = SERVED }
    :: atomic { spec[SMS - 1] == ASKED -> spec_writes[SMS - 1] = served_writes; spec[SMS - 1] = SERVED }
    od
}

#define ANY_PENDING (pending[0] || pending[1] || pending[SMS - 1])

proctype Boundary()
{
    byte i;
end:
    do
    :: atomic {
        ANY_PENDING ->
        for (i : 0 .. SMS - 1) {
            if
            :: pending[i] -> image = performed[i]; performed[i] = 0; pending[i] = false; passed[i] = true
            :: else
            fi
        }
        i = 0
    }
    od
}

proctype Epochs()
{
end:
    do
    :: epoch < EPOCHS -> epoch++
    :: else -> break
    od
}

#ifdef DIRECTORY
proctype Home()
{
    bool held, was_released;
    byte released_epoch, i;
    chan queue = [SMS] of { byte };
end:
    do
    :: atomic { wants[0] -> wants[0] = false; queue!0 }
    :: atomic { wants[1] -> wants[1] = false; queue!1 }
#if SMS == 3
    :: atomic { wants[2] -> wants[2] = false; queue!2 }
#endif
    :: atomic {
        gives[0] || gives[1] || gives[SMS - 1] ->
        for (i : 0 .. SMS - 1) {
            gives[i] = false
        }
        i = 0;
        held = false;
        was_released = true;
        released_epoch = epoch
    }
    :: atomic {
        !held && nempty(queue) ->
        queue?i;
        held = true;
        mature[i] = !was_released || released_epoch < epoch;
        granted[i] = true;
        i = 0
    }
    od
}
#define NETWORK run Home()

#else
/* Cycles of all members together; SMs, L2, boundaries and epochs go at any pace beside them. */
#define MEMBER(sm) ((sm) % MEMBERS)
bool held[MEMBERS], was_released[MEMBERS];
byte released_epoch[MEMBERS];
/* The news of a member's last change: cycles until each other one has it, 0 = it does. */
byte news_left[MEMBERS * MEMBERS];
bool news_held[MEMBERS];
byte cycle;
/* What members know of: a wish takes its way before the token can serve it. */
bool at_member[SMS], back_at_member[SMS];

inline learn(m, is_held) {
    held[m] = is_held;
    if
    :: !is_held -> was_released[m] = true; released_epoch[m] = epoch
    :: else
    fi
}

/* Older news first: they come from further back. */
inline deliver() {
    for (to : 0 .. MEMBERS - 1) {
        k = MEMBERS - 1;
        do
        :: k > 0 ->
            from = (to + MEMBERS - k) % MEMBERS;
            if
            :: news_left[from * MEMBERS + to] == 1 ->
                news_left[from * MEMBERS + to] = 0;
                learn(to, news_held[from])
            :: news_left[from * MEMBERS + to] > 1 ->
                news_left[from * MEMBERS + to] = news_left[from * MEMBERS + to] - 1
            :: else
            fi;
            k--
        :: else -> break
        od
    }
}

inline change(m, is_held) {
    learn(m, is_held);
    news_held[m] = is_held;
    k = 1;
    do
    :: k < MEMBERS ->
        news_left[m * MEMBERS + (m + k) % MEMBERS] = k * HOP;
        k++
    :: else -> break
    od
}

#ifdef BREAK_WINDOW
#define ACTS true
#else
#define ACTS (cycle % HOP == 0)
#endif

proctype Ring()
{
    byte from, to, k, i, member;
    bool freed;
end:
    do
    :: atomic { wants[0] -> wants[0] = false; at_member[0] = true }
    :: atomic { wants[1] -> wants[1] = false; at_member[1] = true }
    :: atomic { wants[2] -> wants[2] = false; at_member[2] = true }
    :: atomic { gives[0] -> gives[0] = false; back_at_member[0] = true }
    :: atomic { gives[1] -> gives[1] = false; back_at_member[1] = true }
    :: atomic { gives[2] -> gives[2] = false; back_at_member[2] = true }
    :: finished < SMS ->
        atomic {
            cycle = (cycle + 1) % (MEMBERS * HOP);
            deliver();
            member = cycle / HOP;
            freed = false;
            if
            :: ACTS ->
                for (i : 0 .. SMS - 1) {
                    if
                    :: back_at_member[i] && MEMBER(i) == member ->
                        back_at_member[i] = false;
                        freed = true;
                        change(member, false)
                    :: else
                    fi
                }
                for (i : 0 .. SMS - 1) {
                    if
                    :: at_member[i] && MEMBER(i) == member && !held[member] && !freed ->
                        at_member[i] = false;
                        mature[i] = !was_released[member] || released_epoch[member] < epoch;
                        granted[i] = true;
                        change(member, true)
                    :: else
                    fi
                }
            :: ACTS -> skip /* nobody had wished in time */
            :: else
            fi;
            from = 0; to = 0; k = 0; i = 0; member = 0; freed = false
        }
    od
}
#define NETWORK run Ring()
#endif

init {
    byte i;
    atomic {
        for (i : 0 .. SMS - 1) {
            spec[i] = NONE;
            run Sm(i)
        }
        run L2();
        run Boundary();
        run Epochs();
        NETWORK
    }
    finished == SMS && !ANY_PENDING;
    assert(image == SMS * ROUNDS)
}
