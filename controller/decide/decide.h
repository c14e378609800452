/*
 * decide.h - how the pure core is used: this is its manual, the types stand in
 *
 *     job_view.h   a WarpJob document as a plain struct
 *     fleet.h      the nodes: what the administrator set, what the agents claim, free slots
 *     job.h        one job as a state machine: facts in, a plan out
 *     pod.h        chunk pods as documents, and back
 *     node.h       the virtual Node and WarpNode status as documents
 *
 * Nothing here does I/O, reads a clock or keeps a global. The same facts in the same order give
 * the same plans. Everything belongs to one thread; nothing calls back.
 *
 * The life of a job in the controller (the CLI does the same without pods, writes and tickets):
 *
 *  1. fleet_new once. fleet_on_warpnode for each WarpNode, fleet_on_registered when its agent has a
 *     session, fleet_on_disconnected when that ends.
 *  2. job_new(warpjob, fleet, config): a job read from its document. Only after the first complete
 *     quorum list that was made while holding the Lease.
 *  3. job_on_pod for every pod of the job uid that exists (a new leader: before the first decide).
 *  4. job_decide after any fact, and at plan.look_again_ms. Carry out the plan:
 *       needs     compile (job_kernel_source), read ConfigMaps; answer with job_on_kernel,
 *                 job_on_kernel_failed, job_on_manifest, job_on_input, job_on_missing
 *       actions   in the order listed; each says how it is answered
 *       status    one write at a time: job_on_status_written, or job_on_status_read with
 *                 what a quorum read says after a conflict or an unknown outcome
 *       decided   tell the agents that these chunks need no longer be kept
 *       events    for people
 *       remove    delete the WarpJob (its ttl is over)
 *  5. Facts while it runs: job_on_pod_created, job_on_sent, job_on_pod_gone, job_on_result,
 *     job_on_node_listed, job_on_node_offered, job_on_node_lost, job_on_spec.
 *  6. The WarpJob is deleted: job_on_deleted, one last job_decide (cancels), job_free. Results of
 *     uids without a job are answered "decided" by the caller.
 *
 * Slots: a dispatch takes one of fleet's slots in job_decide and gives it back when each of its
 * chunks has a result or a loss. Jobs are decided in the order in which they shall be served.
 */
#ifndef DECIDE_DECIDE_H
#define DECIDE_DECIDE_H

#include "controller/decide/fleet.h"
#include "controller/decide/job.h"
#include "controller/decide/job_view.h"
#include "controller/decide/node.h"
#include "controller/decide/pod.h"

#endif
